/**
 * Rolls on a banner whose rolls are verifiable against the same banner without, in turns within the same run, and
 * against Node's bare HTTP server. Afterwards proofs of some players are verified.
 *
 *   --quick            few short slices: shows that it works, but measures nothing
 *   --engine=postgres  only one database: sqlite or postgres
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/postgres.ts';
import { verified } from '../test/verified.ts';
import { ask, FIRST_TEAM, firstTeamAt, forEach, makeBanner, makeItems, post, type Team, userIdOf } from './fixture.ts';
import { type Measured, measure } from './load.ts';
import { describeCores, startApart, startServer } from './processes.ts';

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, engine: { type: 'string' } },
});
const SLICE_S = flags.quick ? 0.4 : 2;
const TURNS = flags.quick ? 2 : 8;
const WARM_UP_S = flags.quick ? 0.5 : 3;
const CONNECTIONS = 64;
const USERS = 1000;
const VERIFIED_USERS = 5;

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

const rotate = async (team: Team, user: number, clientSeed: string): Promise<void> => {
  const path = `/users/${userIdOf(user)}/fairness`;
  type Next = { nextCommitment: string; nextManifest: string };
  const { nextCommitment: commitment, nextManifest: manifest } = await post<Next>(team, path, {});
  await post(team, `${path}/rotate`, { clientSeed, commitment, manifest });
};

/** A team with two equal banners, one of them verifiable, and players who have chosen a client seed. */
const prepare = async (address: string): Promise<Team> => {
  const team = firstTeamAt(address);
  await makeItems(team);
  await makeBanner(team);
  const { config } = JSON.parse(await ask(team, 'GET', '/templates/banner')) as { config: object };
  await post(team, '/templates', { id: 'fair', name: 'Fair', config, verifiable: true });
  await forEach(USERS, (user) => rotate(team, user, `seed ${user}`));
  return team;
};

const bodies = Array.from({ length: USERS }, (_, user) => JSON.stringify({ userId: userIdOf(user) }));

const roll = async (team: Team, template: string, seconds: number): Promise<Measured> => {
  const path = `/templates/${template}/roll`;
  const requests = bodies.map((body) => ({ method: 'POST' as const, path, body }));
  const measured = await measure({ ...team, requests, connections: CONNECTIONS, seconds });
  assert.equal(measured.failed, 0, measured.failures);
  return measured;
};

/** All rolls of some players are right. Returns their number. */
const verifySome = async (team: Team): Promise<number> => {
  let rolls = 0;
  for (let user = 0; user < VERIFIED_USERS; user += 1) {
    await rotate(team, user, 'the end');
    const proof = JSON.parse(await ask(team, 'GET', `/users/${userIdOf(user)}/proof?epoch=0`));
    const { isSound, counts } = verified(proof);
    assert.ok(isSound);
    rolls += counts.verified;
  }
  return rolls;
};

const measureOn = async (engine: string, databaseUrl: string): Promise<void> => {
  const server = await startServer('src/main.ts', { DATABASE_URL: databaseUrl, ...FIRST_TEAM });
  try {
    const team = await prepare(server.address);
    for (const template of ['banner', 'fair']) await roll(team, template, WARM_UP_S);
    const shares: number[] = [];
    const rates: { readonly without: number; readonly with: number }[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const order = turn % 2 === 0 ? ['banner', 'fair'] : ['fair', 'banner'];
      const found = new Map<string, Measured>();
      for (const template of order) found.set(template, await roll(team, template, SLICE_S));
      const [without, verifiable] = [found.get('banner'), found.get('fair')] as [Measured, Measured];
      rates.push({ without: without.perSecond, with: verifiable.perSecond });
      shares.push(verifiable.perSecond / without.perSecond);
    }
    const [without, verifiable] = [median(rates.map((rate) => rate.without)), median(rates.map((rate) => rate.with))];
    const least = Math.min(...shares).toFixed(2);
    const most = Math.max(...shares).toFixed(2);
    print(
      `${engine}: ${Math.round(without)} rolls/s without, ${Math.round(verifiable)} verifiable: ${median(shares).toFixed(2)} of it (goal 0.8; ${least} to ${most} in ${TURNS} turns)`,
    );
    print(`  proofs of ${VERIFIED_USERS} players: ${await verifySome(team)} receipts, all verified`);
  } finally {
    await server.stop();
  }
};

print(`Verifiable rolls, ${CONNECTIONS} connections, ${USERS} players; ${describeCores()}.`);
if (flags.engine !== 'postgres') {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-bench-'));
  const file = join(folder, 'bench.db');
  try {
    await measureOn('SQLite', `sqlite:${file}`);
    print(`  file: ${Math.round((await stat(file)).size / 1024 / 1024)} MiB`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
if (flags.engine !== 'sqlite') {
  const postgres = await startApart(() => startPostgres());
  try {
    await measureOn('PostgreSQL', await postgres.create('bench'));
  } finally {
    await postgres.stop();
  }
}
