/**
 * Rolls on a banner whose rolls are verifiable against the same banner without, in turns within the same run, and
 * against Node's bare HTTP server. Afterwards proofs of some players are verified.
 *
 *   --quick            few short slices: shows that it works, but measures nothing
 *   --engine=postgres  only one database: sqlite or postgres
 *   --turns=5          fewer or more turns; 12 by default
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
import { cpuMs, describeCores, startApart, startServer } from './processes.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    engine: { type: 'string' },
    turns: { type: 'string', default: '12' },
  },
});
const SLICE_S = flags.quick ? 0.4 : 2;
const TURNS = flags.quick ? 2 : Number(flags.turns);
const WARM_UP_S = flags.quick ? 0.5 : 8;
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

/** Rolls per second, and the CPU time that each took in each of the processes. */
interface Slice {
  readonly perSecond: number;
  readonly cpuUs: readonly number[];
}

const measureSlice = async (team: Team, template: string, pids: readonly number[]): Promise<Slice> => {
  const before = pids.map(cpuMs);
  const { perSecond, succeeded } = await roll(team, template, SLICE_S);
  const cpuUs = pids.map((pid, index) => ((cpuMs(pid) - (before[index] as number)) * 1000) / succeeded);
  return { perSecond, cpuUs };
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

const describeCpu = (slices: readonly Slice[]): string =>
  slices[0]?.cpuUs
    .map((_, process) => Math.round(median(slices.map(({ cpuUs }) => cpuUs[process] as number))))
    .join(' + ') ?? '';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const measureOn = async (engine: string, databaseUrl: string, databasePids: readonly number[] = []): Promise<void> => {
  const server = await startServer('src/main.ts', { DATABASE_URL: databaseUrl, ...FIRST_TEAM });
  const pids = [server.pid, ...databasePids];
  try {
    const team = await prepare(server.address);
    for (const template of ['banner', 'fair']) await roll(team, template, WARM_UP_S);
    const turns: { readonly without: Slice; readonly verifiable: Slice }[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const order = turn % 2 === 0 ? ['banner', 'fair'] : ['fair', 'banner'];
      const found = new Map<string, Slice>();
      for (const template of order) found.set(template, await measureSlice(team, template, pids));
      turns.push({ without: found.get('banner') as Slice, verifiable: found.get('fair') as Slice });
    }
    const shares = turns.map(({ without, verifiable }) => verifiable.perSecond / without.perSecond);
    const cpuShares = turns.map(({ without, verifiable }) => sum(without.cpuUs) / sum(verifiable.cpuUs));
    const [without, verifiable] = [turns.map((turn) => turn.without), turns.map((turn) => turn.verifiable)];
    const rateOf = (slices: readonly Slice[]): number => Math.round(median(slices.map(({ perSecond }) => perSecond)));
    const range = (values: readonly number[]): string =>
      `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
    print(
      `${engine}: ${rateOf(without)} rolls/s without, ${rateOf(verifiable)} verifiable: ${median(shares).toFixed(2)} of it (goal 0.8; ${range(shares)} in ${TURNS} turns)`,
    );
    print(
      `  µs of CPU time per roll, service${databasePids.length === 0 ? '' : ' + database'}: ${describeCpu(without)} without, ${describeCpu(verifiable)} verifiable: ${median(cpuShares).toFixed(2)} (${range(cpuShares)})`,
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
    await measureOn('PostgreSQL', await postgres.create('bench'), [await postgres.pid()]);
  } finally {
    await postgres.stop();
  }
}
