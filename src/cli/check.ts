import { orphans, REFERENCES } from '../database/references.ts';
import type { Snapshot } from '../database/work.ts';
import { checkAll } from '../maintenance/check/check.ts';
import { forEachRow, type Report } from '../maintenance/check/rows.ts';
import { LIMITS } from '../shared/limits.ts';
import { type Command, checkSchema, openExisting, withDatabase } from './command.ts';
import { formatCount, formatElapsed } from './shared.ts';

/** Reports rows that refer to rows that do not exist. */
const checkReferences = async (snapshot: Snapshot, report: Report): Promise<void> => {
  for (const reference of REFERENCES)
    await forEachRow(snapshot, orphans(snapshot.queries, reference), ({ team_id, missing, count }) =>
      report(
        team_id,
        `${reference.table}.${reference.column} refers to ${missing}, which is not in ${reference.target} (rows: ${formatCount(count)})`,
      ),
    );
};

export const check: Command = {
  summary: 'looks for inconsistent data, and changes nothing',
  help: [
    'It finds overlapping or out-of-bounds placements, dangling references, counters that differ from the roll events,',
    'history that differs from instances, catalogs that differ from their versions, broken chains of receipts, a public',
    'log that differs from its head, and snapshots that differ from their hashes.',
    'The exit code is 1 if there are any.',
  ],
  examples: ['check', 'DATABASE_URL=sqlite:copy.db check'],
  run: async ({ databaseUrl, print }) => {
    const startedMs = performance.now();
    let findings = 0;
    const report: Report = (teamId, finding) => {
      findings += 1;
      if (findings <= LIMITS.printedFindings) print(`team ${teamId}: ${finding}`);
    };
    return withDatabase(openExisting(databaseUrl), async (database) => {
      const seen = await database.snapshot(async (snapshot) => {
        await checkSchema(snapshot, databaseUrl);
        await checkReferences(snapshot, report);
        return checkAll(snapshot, report);
      });
      if (findings > LIMITS.printedFindings) print(`… and ${formatCount(findings - LIMITS.printedFindings)} more`);
      const checked = `${formatCount(seen.instances)} instances, ${formatCount(seen.placements)} placements, ${formatCount(seen.events)} history events, ${formatCount(seen.states)} states, ${formatCount(seen.entries)} changes of balances, ${formatCount(seen.receipts)} receipts, ${formatCount(seen.leaves)} leaves of public logs, ${formatCount(seen.entities)} catalog entities and ${formatCount(seen.rolls)} roll events in ${formatElapsed(startedMs)}`;
      print(
        findings === 0
          ? `no problems found: checked ${checked}`
          : `${formatCount(findings)} ${findings === 1 ? 'problem' : 'problems'} found: checked ${checked}`,
      );
      return findings === 0;
    });
  },
};

/** What many look for under this name. */
export const audit: Command = { ...check, summary: 'the same as check', examples: ['audit'] };
