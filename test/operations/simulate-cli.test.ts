/** The command that simulates players of a template on a running service. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import type { Surroundings } from '../../src/cli/catalog/terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { type Client, createEmptyDatabase, onEveryDatabase, startService } from '../harness.ts';
import type { Ended } from '../processes.ts';
import { assertDone } from '../rules.ts';

/** Runs the command line in this process. */
const run = async (args: readonly string[], env: Record<string, string>, { isTTY = false } = {}): Promise<Ended> => {
  const written = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    Object.assign(new PassThrough(), { isTTY }).on('data', (chunk) => {
      written[name] += chunk;
    });
  const stdin = Object.assign(Readable.from([]), { isTTY });
  const streams = { stdin, stdout: collect('stdout'), stderr: collect('stderr') };
  const code = await runCommandLine(args, { ...streams, env } as unknown as Surroundings);
  return { code, ...written };
};

const config = {
  baseRates: { Legendary: 0.02, Common: 0.98 },
  pityThreshold: 50,
  softPity: [{ from: 40, add: 0.05 }],
  featuredItemIds: ['dawnblade'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};

const fill = async (team: Client): Promise<void> => {
  const classifierOptions = [{ name: 'Legendary' }, { name: 'Common' }];
  const { body } = assertDone(await team.post('/classifiers', { id: 'rarity', name: 'Rarity', classifierOptions }));
  const [legendary, common] = body.classifierOptions.map(({ id }: { id: string }) => id);
  for (const [id, name, option] of [
    ['dawnblade', 'Dawn\u001b[31mblade', legendary],
    ['duskblade', 'Duskblade', legendary],
    ['club', 'Club', common],
  ])
    assertDone(await team.post('/items', { id, name, classifierOptionIds: [option] }));
  assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config }));
  const offer = { baseRates: { Legendary: 1, Common: 9 }, choices: 1, depthScaling: { Legendary: 2 } };
  assertDone(await team.post('/templates', { id: 'shrine', name: 'Shrine', type: 'roguelike', config: offer }));
};

onEveryDatabase('simulations on the command line', (service) => {
  let team: Client;
  let folder: string;
  const environment = () => ({
    ITEMWRIGHT_URL: service().address,
    ITEMWRIGHT_CREDENTIALS: `${team.teamId}:${team.secret}`,
  });
  const simulate = (...args: string[]): Promise<Ended> => run(['simulate', ...args], environment());
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await simulate(...args);
    assert.deepEqual([code, stderr], [0, ''], stdout);
    return stdout;
  };
  const failed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await simulate(...args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    return stderr;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-simulate-'));
    team = await service().anotherTeam();
    await fill(team);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('are printed as a table with the names of tiers and items', async () => {
    const printed = await done('banner', '--players', '500', '--rolls', '120', '--seed', 'launch', '--price', '1.5');
    const [head, , header, ...lines] = printed.split('\n');
    assert.equal(head, '500 players with 120 rolls each, seed "launch"');
    assert.match(
      header ?? '',
      /^ +have one {2}first: mean {2}median {2}95% {2}worst {2}per player {2}cost: mean +95%$/,
    );
    assert.match(lines.join('\n'), /^Tiers\n {2}Legendary +100% .*\n {2}Common +100% +1\.\d .*\nFeatured items\n/);
    assert.match(printed, /\n {2}Dawn\\u001b\[31mblade +[\d.]+% /);
    assert.match(
      printed,
      /\n\nOf [\d,]+ results of Legendary:\n.*% came by soft pity\n {2}.*% were featured by the guarantee\n$/s,
    );
    for (const line of printed.split('\n')) assert.ok(line.length <= 100, line);
    assert.doesNotMatch(await done('banner', '--players', '5'), /cost/);
  });

  test('call a mean what it is if some players got none', async () => {
    const printed = await done('banner', '--players', '500', '--rolls', '10', '--price', '1.5');
    assert.match(printed, /\n +have one {2}mean if any {2}median {2}95% {2}worst {2}per player {2}cost if any +95%\n/);
    assert.match(
      printed,
      /\n\nWaits and costs are those of the players who have one; the others would wait longer\.\n/,
    );
    const free = await done('banner', '--players', '500', '--rolls', '10');
    assert.match(free, /\n\nWaits are those of the players who have one; the others would wait longer\.\n/);
    assert.doesNotMatch(
      await done('banner', '--players', '500', '--rolls', '120', '--seed', 'launch'),
      /if any|others/,
    );
    for (const line of printed.split('\n')) assert.ok(line.length <= 100, line);
  });

  test('are printed as JSON, which is the response of the service', async () => {
    const printed = JSON.parse(await done('banner', '--players', '50', '--rolls', '20', '--seed', 's', '--json'));
    const request = { templateId: 'banner', players: 50, rolls: 20, seed: 's' };
    assert.deepEqual(printed, (await team.post('/templates/simulate', request)).body);
  });

  test('are possible for a template in a file, and at a depth', async () => {
    const path = join(folder, 'banner.json');
    await writeFile(path, JSON.stringify({ id: 'banner', name: 'Banner', type: 'gacha', config }));
    const ofFile = await done(path, '--players', '50');
    assert.equal(ofFile, await done('banner', '--players', '50'));
    assert.notEqual(await done('shrine', '--players', '50'), await done('shrine', '--players', '50', '--depth', '5'));
  });

  test('show their progress on a terminal only', async () => {
    const args = ['simulate', 'banner', '--players', '50', '--json'];
    const { stdout, stderr } = await run(args, environment(), { isTTY: true });
    const [start, first, ...others] = stderr.split('\r\u001b[K');
    assert.deepEqual([start, first, ...others.slice(-2)], ['', 'Simulating: 0%', 'Simulating: 100%', '']);
    assert.equal(stdout, await done('banner', '--players', '50', '--json'));
  });

  test('fail with a line that says why', async () => {
    assert.match(await failed('nothing'), /^itemwright: .*\/body\/templateId is not a template of this team\n$/);
    assert.match(await failed(), /^itemwright: TEMPLATE_ID or FILE is missing\n$/);
    assert.match(await failed('banner', '--players', 'many'), /^itemwright: --players must be a number\n$/);
    assert.match(
      await failed('banner', '--players', '2000000'),
      /^itemwright: .*\/body\/players must be <= 1000000\n$/,
    );
    assert.match(await failed('banner', '--depth', '1'), /\/body\/depth is for roguelike templates only\n$/);
    assert.match(await failed(join(folder, 'none.json')), /^itemwright: ENOENT/);
    const path = join(folder, 'broken.json');
    for (const [text, reason] of [
      ['{', /is not valid JSON/],
      ['null', /must be a template, with a type and a config/],
      ['{"type":"gacha"}', /must be a template, with a type and a config/],
      [
        '{"config":{"baseRates":{"Mythic":1}}}',
        /\/body\/config\/baseRates\/Mythic does not match any classifier option/,
      ],
    ] as const) {
      await writeFile(path, text);
      assert.match(await failed(path), reason);
    }
  });
});

test('a simulation that takes too long fails with a line that says so', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const worker = new URL('../compute-worker.ts', import.meta.url);
  const service = await startService(empty.url, {}, undefined, { computeOptions: { worker, timeLimitMs: 300 } });
  try {
    await fill(service);
    const env = {
      ITEMWRIGHT_URL: service.address,
      ITEMWRIGHT_CREDENTIALS: `${service.teamId}:${service.secret}`,
    };
    const { code, stderr } = await run(['simulate', 'banner'], env);
    assert.deepEqual([code, stderr], [1, 'itemwright: Service unavailable\n']);
  } finally {
    await service.stop();
    await empty.drop();
  }
});
