import { orphans, REFERENCES } from '../database/references.ts';
import type { Snapshot } from '../database/work.ts';
import { checkAll, forEachRow, type Report } from '../features/check/check.service.ts';
import { LIMITS } from '../limits.ts';
import { type Command, checkSchema, counted, openToRead, seconds, withDatabase } from './command.ts';

/** Rows that refer to something that is not there. */
const checkReferences = async (snapshot: Snapshot, report: Report): Promise<void> => {
  for (const reference of REFERENCES)
    await forEachRow(snapshot, orphans(snapshot.queries, reference), ({ team_id, missing, count }) =>
      report(
        team_id,
        `${counted(count)} of ${reference.table} refer by ${reference.column} to ${missing}, which is not among ${reference.target}`,
      ),
    );
};

export const check: Command = {
  usage: '',
  help: [
    'looks for what cannot be: things that overlap or reach outside, references that lead nowhere,',
    'counters that differ from the record of rolls, histories that differ from instances; changes nothing',
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
      const looked = `${counted(seen.instances)} instances, ${counted(seen.placements)} placements, ${counted(seen.events)} events of their history, ${counted(seen.states)} states and ${counted(seen.rolls)} rows of rolls in ${seconds(startedMs)}`;
      say(
        findings === 0
          ? `nothing is wrong: looked at ${looked}`
          : `${counted(findings)} things are wrong: looked at ${looked}`,
      );
      return findings === 0;
    });
  },
};
