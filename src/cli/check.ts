import { orphans, REFERENCES } from '../database/references.ts';
import type { Snapshot } from '../database/work.ts';
import { checkAll, forEachRow, type Report } from '../features/check/check.service.ts';
import { LIMITS } from '../limits.ts';
import { type Command, checkSchema, counted, openToRead, seconds, withDatabase } from './command.ts';

/** Reports rows that refer to rows that do not exist. */
const checkReferences = async (snapshot: Snapshot, report: Report): Promise<void> => {
  for (const reference of REFERENCES)
    await forEachRow(snapshot, orphans(snapshot.queries, reference), ({ team_id, missing, count }) =>
      report(
        team_id,
        `${reference.table}.${reference.column} refers to ${missing}, which is not in ${reference.target} (rows: ${counted(count)})`,
      ),
    );
};

export const check: Command = {
  usage: '',
  help: [
    'looks for inconsistent data: overlapping or out-of-bounds placements, dangling references,',
    'counters that differ from the roll events, history that differs from instances; changes nothing',
  ],
  takesArgument: false,
  options: [],
  run: async ({ databaseUrl, say }) => {
    const startedMs = performance.now();
    let findings = 0;
    const report: Report = (teamId, finding) => {
      findings += 1;
      if (findings <= LIMITS.printedFindings) say(`team ${teamId}: ${finding}`);
    };
    return withDatabase(openToRead(databaseUrl), async (database) => {
      const seen = await database.snapshot(async (snapshot) => {
        await checkSchema(snapshot, databaseUrl);
        await checkReferences(snapshot, report);
        return checkAll(snapshot, report);
      });
      if (findings > LIMITS.printedFindings) say(`… and ${counted(findings - LIMITS.printedFindings)} more`);
      const checked = `${counted(seen.instances)} instances, ${counted(seen.placements)} placements, ${counted(seen.events)} history events, ${counted(seen.states)} states and ${counted(seen.rolls)} roll events in ${seconds(startedMs)}`;
      say(
        findings === 0
          ? `no problems found: checked ${checked}`
          : `${counted(findings)} ${findings === 1 ? 'problem' : 'problems'} found: checked ${checked}`,
      );
      return findings === 0;
    });
  },
};
