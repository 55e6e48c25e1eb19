import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { TABLES } from '../../src/database/tables.ts';
import { doAllChores, lookAtAll } from '../chores.ts';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { walkThroughInterface } from '../walk.ts';

/** Everything that was sent to PostgreSQL since the start, and where the start ended. */
const sent: string[] = [];
let started = 0;

/** Statements that may concern several teams, and why that is acceptable. */
const OF_NO_TEAM: Record<string, RegExp> = {
  'every node of a cluster has a copy': /\b(from|into|update) "(milestones|chores)"/,
  'the next team with history is found across all teams':
    /^select "team_id" from "item_instance_history" where "team_id" > \$1 order by "team_id" limit \$2$/,
  'teams with old rolls are found across all teams, and their rolls deleted team by team':
    /^select distinct team_id from roll_events_rest where id < \$1$/,
  'teams with leaves that wait for their places are found across all teams':
    /^select distinct "team_id" from "log_leaves" where "position" is null$/,
  'teams with events that wait for their places are found across all teams':
    /^select distinct "team_id" from "events" where "position" is null$/,
  'teams with pending counts are found across all teams': /^select "team_id" from "roll_pending" group by "team_id"/,
  'drafts that are due are found across all teams, and published team by team':
    /^select "team_id" as "teamId", min\("publish_at"\) as "firstAtMs" from "catalog_drafts" .* group by "team_id"/,
  'teams with new versions are found across all teams, and noted team by team':
    /^select "teams"."id" from "teams" left join "noted_versions" on "noted_versions"."team_id" = "teams"."id"/,
  'teams with new or old evidence are found across all teams':
    /^select distinct "team_id" from ("evidence_due"|"roll_evidence" where "day" < \$1)$/,
  'the oldest responses are found across all teams, and deleted team by team':
    /^select "team_id", "key" from "stored_answers" where "stored_at" < \$1/,
};

/** The tables that a statement reads or writes; a partition counts as its table. */
const tablesOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|join|into|update)\s+"?([a-z_]+?)(?:_rest)?"?(?!\w)/g)]
    .map(([, name]) => name as string)
    .filter((name) => (TABLES as readonly string[]).includes(name));

/**
 * Whether it names a team as often as it names tables. To be of the same team as a row of a subquery is not enough: Citus
 * does not look into it.
 */
const namesTeam = (text: string): boolean => {
  const tables = tablesOf(text);
  const subqueries = new Set([...text.matchAll(/\) as "?(\w+)"?/g)].map(([, name]) => name));
  const isOfTeam = /\bteam_id"? = (\$\d|cast\(\$\d|"?(\w+)"?\."?team_id)|insert into "?\w+"? \("?team_id"?,/g;
  const isTeam =
    /\bfrom "teams"[\s\S]* where "(teams"\.")?id" = (cast\()?\$\d|^update "teams" [\s\S]* where "id" = \$\d|^insert into "teams" /g;
  const ofTeam = [...text.matchAll(isOfTeam)].filter(([, , joined]) => !subqueries.has(joined));
  return ofTeam.length + [...text.matchAll(isTeam)].length >= tables.length;
};

describe('every statement sent to PostgreSQL', () => {
  let empty: EmptyDatabase;
  let service: Service;
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;

  before(async () => {
    pg.Client.prototype.query = function spy(this: pg.Client, ...args: unknown[]) {
      const [given] = args as [string | { text: string }];
      sent.push(typeof given === 'string' ? given : given.text);
      return query.apply(this, args);
    } as typeof pg.Client.prototype.query;
    empty = await createEmptyDatabase('postgres');
    service = await startService(empty.url);
    started = sent.length;
    await walkThroughInterface(service);
    await lookAtAll(service);
    await doAllChores(service, [service]);
  });
  after(async () => {
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
    await service?.stop();
    await empty?.drop();
  });

  test('names one team, so that tables can be distributed by team', () => {
    const statements = [...new Set(sent.slice(started))].filter((text) => tablesOf(text).length > 0);
    assert.ok(statements.length > 100, `${statements.length} statements`);
    const exceptions = Object.values(OF_NO_TEAM);
    const faults = statements.filter((text) => !namesTeam(text) && !exceptions.some((known) => known.test(text)));
    assert.deepEqual(faults, []);
  });

  test('does not lock rows of several teams', () => {
    for (const text of new Set(sent.slice(started)))
      if (Object.values(OF_NO_TEAM).some((known) => known.test(text))) assert.doesNotMatch(text, /for (update|share)/);
  });

  test('leaves nothing behind in the session, which a pooler gives to others', () => {
    const ofSession =
      /\bpg_(try_)?advisory_(un)?lock\b|^\s*(set (?!local)|reset|listen|discard|prepare|declare|load)\b|;\s*set (?!local)|create temp/i;
    assert.deepEqual(
      [...new Set(sent)].filter((text) => ofSession.test(text)),
      [],
    );
    assert.ok(sent.some((text) => text.includes('pg_advisory_xact_lock')));
  });
});
