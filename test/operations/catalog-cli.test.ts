/** The commands that talk to a running service about its catalog, as processes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import type { Surroundings } from '../../src/cli/catalog/terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { type Client, createEmptyDatabase, ENGINES, onEveryDatabase, type Service, startService } from '../harness.ts';
import { type Ended, runToEnd } from '../processes.ts';
import { assertDone } from '../rules.ts';

/** There is no DATABASE_URL, and the invalid setting would stop any other command. */
const environmentOf = ({ address }: Service, { teamId, secret }: Client): Record<string, string> => ({
  ITEMWRIGHT_URL: address,
  ITEMWRIGHT_CREDENTIALS: `${teamId}:${secret}`,
  PORT: 'none',
});

/** Runs a command in this process, which takes a fraction of the time of one of its own. */
const runHere = async (
  args: readonly string[],
  env: Record<string, string>,
  { input = '', isTTY = false } = {},
): Promise<Ended> => {
  const written = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    Object.assign(new PassThrough(), { isTTY }).on('data', (chunk) => {
      written[name] += chunk;
    });
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY });
  const streams = { stdin, stdout: collect('stdout'), stderr: collect('stderr') };
  const code = await runCommandLine(['catalog', ...args], { ...streams, env } as unknown as Surroundings);
  return { code, ...written };
};

const assertEnded = ({ code, stdout, stderr }: Ended, expected: number): string => {
  assert.equal(code, expected, `${stdout}${stderr}`);
  return expected === 1 ? stderr : stdout;
};

/** A small catalog with a banner. */
const fill = async (team: Client): Promise<void> => {
  const classifierOptions = [{ name: 'Rare', dropRateMultiplier: 0.1 }, { name: 'Common' }];
  const { body: rarity } = assertDone(
    await team.post('/classifiers', { id: 'rarity', name: 'Rarity', classifierOptions }),
  );
  const [rare, common] = rarity.classifierOptions.map(({ id }: { id: string }) => id);
  assertDone(await team.post('/attributes', { id: 'damage', name: 'Damage', min: -10, max: 100 }));
  const itemAttributes = [{ attributeId: 'damage', min: -1.5, max: 3 }];
  for (const [id, name, option] of [
    ['sword', '=1+1; "Ärger"\nSword', rare],
    ['Axe', 'Axe', rare],
    ['club', 'Club', common],
  ])
    assertDone(await team.post('/items', { id, name, classifierOptionIds: [option], itemAttributes }));
  assertDone(await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 4, rows: 3 }));
  for (const id of ['dawn:1', 'Dusk'])
    assertDone(
      await team.post('/templates', { id, name: `Banner ${id}`, config: { baseRates: { Rare: 1, Common: 9 } } }),
    );
};

/** All files of a folder, by their path. */
const filesIn = async (folder: string): Promise<Record<string, string>> => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
  );
};

/** Edits the list that a file has. */
const editList = async (path: string, edit: (value: never) => unknown): Promise<void> => {
  const value = JSON.parse(await readFile(path, 'utf8'));
  const name = basename(path, '.json');
  const list = value[name];
  await writeFile(path, JSON.stringify({ ...value, [name]: edit(list as never) ?? list }, null, 2));
};

interface Named {
  id: string;
  name: string;
}

onEveryDatabase('the catalog on the command line', (service) => {
  let team: Client;
  let folder: string;
  const itemwright = (...args: string[]): Promise<Ended> => runHere(args, environmentOf(service(), team));
  const run = async (code: number, ...args: string[]): Promise<string> => assertEnded(await itemwright(...args), code);
  const path = (...names: string[]): string => join(folder, ...names);
  const catalog = path.bind(undefined, 'catalog');
  const renameClub = (name: string) =>
    editList(catalog('items.json'), (items: Named[]) => {
      for (const item of items) if (item.id === 'club') item.name = name;
    });
  const currentVersion = async (): Promise<number> => (await team.get('/catalog/versions?limit=1')).body[0].version;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-catalog-'));
    team = await service().anotherTeam();
    await fill(team);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('is pulled into a folder, for which there is then nothing to do', async () => {
    assert.match(await run(0, 'pull', catalog()), /: version 8; 7 files written, 0 removed, 0 unchanged\n$/);
    assert.deepEqual(Object.keys(await filesIn(catalog())), [
      ...['attributes.json', 'catalog.schema.json', 'classifiers.json', 'items.json', 'spaces.json'],
      ...[join('templates', 'Dusk.json'), join('templates', 'dawn%3A1.json')],
    ]);
    const { items } = JSON.parse(await readFile(catalog('items.json'), 'utf8'));
    assert.deepEqual(
      items.map(({ classifierOptionIds }: { classifierOptionIds: string[] }) => classifierOptionIds),
      [['Rare'], ['Common'], ['Rare']],
    );
    const { mtimeMs } = await stat(catalog('items.json'));
    assert.match(await run(0, 'pull', catalog()), /0 files written, 0 removed, 7 unchanged\n$/);
    assert.equal((await stat(catalog('items.json'))).mtimeMs, mtimeMs);
    assert.equal(await run(0, 'plan', catalog()), 'Nothing to do: version 8 of the catalog is like this already.\n');
    assert.match(await run(0, 'publish', catalog()), /^Nothing to do/);
  });

  test('is planned, published, shown and rolled back', async () => {
    const old = await filesIn(catalog());
    await editList(
      catalog('classifiers.json'),
      ([rarity]: [{ classifierOptions: { dropRateMultiplier: number }[] }]) => {
        for (const option of rarity.classifierOptions) option.dropRateMultiplier = 0.2;
      },
    );
    await rm(catalog('templates', 'Dusk.json'));
    const planned = await run(2, 'plan', catalog(), '-o', path('plan.json'));
    assert.match(planned, /\n {6}option Rare: {3}×0\.1 → ×0\.2\n/);
    assert.match(planned, /\n {2}- Banner Dusk \(Dusk\)\n/);
    assert.match(planned, /\nOdds: All items\n/);
    assert.match(planned, /\nPlan: 0 to create, 1 to change, 1 to delete; odds of \d pools change\.\n$/);
    assert.ok(!planned.includes('\u001b'));

    assert.match(await run(1, 'publish', catalog()), /^itemwright: nothing was published: .* use --yes/);
    assert.match(
      await run(0, 'publish', path('plan.json'), '--yes', '-m', 'Twice as rare'),
      /\nPublished as version 9\.\n$/,
    );
    assert.equal(
      await run(1, 'publish', path('plan.json'), '--yes'),
      'itemwright: nothing was published: the catalog is at version 9, this plan was made at 8; plan again\n',
    );
    await run(0, 'plan', catalog());

    const { version, author, source, message, changes } = (await team.get('/catalog/versions')).body[0];
    assert.deepEqual([version, source, message, changes], [9, 'publish', 'Twice as rare', 2]);
    const listed = (await run(0, 'versions', '--limit', '2')).split('\n');
    assert.match(listed[1] as string, /^ +9 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\S.* publish +2 {2}Twice as rare$/);
    assert.ok((listed[1] as string).includes(author.name));
    assert.match(listed[3] as string, /older ones/);
    const shown = await run(0, 'show', '9');
    assert.match(shown, /^Version 9, .* \(publish\)\n {2}Twice as rare\n\nClassifiers\n {2}~ Rarity \(rarity\)\n/);
    assert.match(shown, /odds of \d pools? changed\.\n$/);

    const { version: restored } = JSON.parse(await run(0, 'rollback', '8', '--yes', '--json'));
    assert.equal(restored, 10);
    await run(0, 'pull', catalog());
    assert.deepEqual(await filesIn(catalog()), old);
    assert.match(await run(0, 'rollback', '8', '--yes'), /^Nothing to do/);
  });

  test('is not published with faults, which are all named', async () => {
    await run(0, 'pull', catalog());
    await editList(catalog('items.json'), (items: object[]) =>
      items.map((item) => ({ ...item, width: 0, classifierOptionIds: ['Legendary'] })),
    );
    const base = await currentVersion();
    assert.equal((await itemwright('plan', catalog())).code, 1);
    const { code, stdout } = await itemwright('publish', catalog(), '--yes');
    assert.equal(code, 1);
    assert.match(stdout, /^Faults\n(.*\n)* {2}item Club \(club\) \/width: /);
    assert.match(stdout, /it cannot be published: \d+ faults\.\n$/);
    assert.equal(await currentVersion(), base);
    await run(0, 'pull', catalog());
  });

  test('is refused by name where a folder is not a catalog', async () => {
    await writeFile(catalog('items.json'), '[1]');
    assert.match(
      await run(1, 'plan', catalog()),
      /^itemwright: .*catalog is not a valid catalog\n {2}items\.json, entry 1: /,
    );
    await rm(catalog('items.json'));
    assert.match(await run(1, 'publish', catalog(), '--yes'), /items\.json is missing; use --merge/);
    assert.match(await run(0, 'plan', catalog(), '--merge'), /^Nothing to do/);
    await run(0, 'pull', catalog());
  });

  test('is edited as CSV', async () => {
    await run(0, 'export', path('items.csv'));
    const bytes = await readFile(path('items.csv'), 'utf8');
    assert.ok(
      bytes.startsWith(
        '\ufeffid,name,thumbnail,rollNumerator,width,height,description,data,currency,spend,Rarity,Damage min,Damage max\r\n',
      ),
    );
    assert.ok(bytes.includes('\r\nsword,"\'=1+1; ""Ärger""\nSword",,100,1,1,,,,,Rare,-1.5,3\r\n'));
    assert.equal(`\ufeff${await run(0, 'export', '-')}`, bytes);
    assert.match(await run(0, 'import', path('items.csv')), /^Nothing to do/);

    await writeFile(
      path('german.csv'),
      '\ufeffid;name;rollNumerator;Rarity;Damage min;Damage max\nclub;Keule;0,5;Common;;\n;Neu;;;;\n',
    );
    assert.match(await run(1, 'import', path('german.csv')), /use --yes\W/);
    assert.match(
      await run(0, 'import', path('german.csv'), '--yes', '-m', 'From a spreadsheet'),
      /\nPublished as version \d+\.\n$/,
    );
    const { items } = (await team.get('/catalog')).body;
    const found = items.find(({ id }: Named) => id === 'club');
    assert.deepEqual(
      [found.name, found.rollNumerator, found.classifierOptionIds.length, found.itemAttributes],
      ['Keule', 0.5, 1, []],
    );
    assert.equal(items.filter(({ name }: Named) => name === 'Neu').length, 1);
    assert.equal(items.length, 4);

    await writeFile(path('wrong.csv'), 'id,Rarity\nclub,Mythic\n');
    assert.equal(
      await run(1, 'import', path('wrong.csv'), '--yes'),
      `itemwright: ${path('wrong.csv')}: row 2, column "Rarity": there is no option "Mythic"\n`,
    );
  });

  test('prints responses as JSON', async () => {
    await run(0, 'pull', catalog());
    const base = await currentVersion();
    assert.deepEqual(JSON.parse(await run(0, 'plan', catalog(), '--json')).changes, []);
    await renameClub('Big club');
    const plan = JSON.parse(await run(2, 'plan', catalog(), '--json', '-o', path('plan.json')));
    assert.deepEqual([plan.baseVersion, plan.changes.length], [base, 1]);
    assert.deepEqual(JSON.parse(await readFile(path('plan.json'), 'utf8')), plan);
    assert.equal(JSON.parse(await run(0, 'publish', catalog(), '--yes', '--json')).version, base + 1);
    assert.equal(JSON.parse(await run(0, 'versions', '--json', '--limit', '1'))[0].version, base + 1);
    assert.equal(JSON.parse(await run(0, 'show', String(base + 1), '--json')).version, base + 1);
  });

  test('is a matter of processes with exit codes', async () => {
    const runProcess = (...args: string[]): Promise<Ended> =>
      runToEnd('src/cli.ts', ['catalog', ...args], environmentOf(service(), team));
    await run(0, 'pull', catalog());
    const before = await currentVersion();
    await renameClub('\u001b[31mRed club');
    const planned = assertEnded(await runProcess('plan', catalog()), 2);
    assert.match(planned, /name: .* → \\u001b\[31mRed club\n/);
    assert.ok(!planned.includes('\u001b'));
    assert.match(assertEnded(await runProcess('publish', catalog()), 1), /^itemwright: nothing was published/);
    assert.equal(await currentVersion(), before);
    assert.match(assertEnded(await runProcess('publish', catalog(), '--yes'), 0), /\nPublished as version \d+\.\n$/);
    assertEnded(await runProcess('plan', catalog()), 0);
  });

  test('is published on a terminal if the answer is yes', async () => {
    await run(0, 'pull', catalog());
    const base = await currentVersion();
    await renameClub('Asked about');
    const answer = (input: string) =>
      runHere(['publish', catalog()], environmentOf(service(), team), { input, isTTY: true });
    const declined = await answer('n\n');
    assert.equal(declined.code, 1);
    assert.ok(declined.stdout.includes('\u001b[33m~ Asked about (club)\u001b[0m'));
    assert.match(declined.stderr, /Publish this to http:\/\/[\d.:]+\? \[y\/N\] .*Nothing was published\.\n$/s);
    assert.equal(await currentVersion(), base);
    assert.match(assertEnded(await answer('y\n'), 0), /\nPublished as version \d+\.\n$/);
    assert.equal(await currentVersion(), base + 1);
  });

  test('is imported from standard input, too', async () => {
    const ended = await runHere(['import', '-', '--yes'], environmentOf(service(), team), {
      input: 'id,name\nclub,Club\n',
    });
    assert.match(assertEnded(ended, 0), /\nPublished as version \d+\.\n$/);
  });

  test('is not read from what has no end, or keeps everybody waiting', async () => {
    const [pipe, folder, large] = [path('pipe'), path('endless'), path('large.csv')];
    execFileSync('mkfifo', [pipe]);
    await mkdir(folder);
    await symlink('/dev/zero', join(folder, 'attributes.json'));
    await writeFile(large, '');
    await truncate(large, 2 ** 40);
    for (const [args, message] of [
      [['catalog', 'import', '/dev/zero'], '/dev/zero is not a regular file'],
      [['catalog', 'import', pipe], `${pipe} is not a regular file`],
      [['catalog', 'import', large], `${large} is longer than 67,108,864 bytes`],
      [['catalog', 'import', folder], `${folder} is a directory`],
      [['catalog', 'publish', '/dev/zero'], '/dev/zero is not a regular file'],
      [['catalog', 'publish', large], `${large} is longer than 524,288,000 bytes`],
      [['catalog', 'plan', folder], `${join(folder, 'attributes.json')} is not a regular file`],
      [['catalog', 'pull', folder], `${join(folder, 'attributes.json')} is not a regular file`],
      [['simulate', `${folder}/attributes.json`], `${folder}/attributes.json is not a regular file`],
    ] as const)
      assert.deepEqual(
        await runToEnd('src/cli.ts', args, environmentOf(service(), team)),
        { code: 1, stdout: '', stderr: `itemwright: ${message}\n` },
        args.join(' '),
      );
  });

  test('is planned, but not published, with a secret that only reads', async () => {
    const reader = await service().as('read');
    const asReader = (...args: string[]) => runHere(args, environmentOf(service(), reader));
    assertEnded(await asReader('pull', path('other')), 0);
    assertEnded(await asReader('plan', path('other')), 0);
    const space = { id: 'bag', name: 'Bag', cols: 1, rows: 1 };
    await writeFile(join(path('other'), 'spaces.json'), `${JSON.stringify([space])}\n`);
    assertEnded(await asReader('plan', path('other')), 2);
    assert.match(
      assertEnded(await asReader('publish', path('other'), '--yes'), 1),
      /role must be design, write or admin/,
    );
  });
});

test('the folder of a catalog is the same on both databases', async () => {
  const folders: Record<string, string>[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-catalog-'));
  let last: string | undefined;
  try {
    for (const engine of ENGINES) {
      const empty = await createEmptyDatabase(engine);
      const service = await startService(empty.url);
      const itemwright = (...args: string[]) => runHere(args, environmentOf(service, service));
      try {
        // The first database gets a catalog, and each further one the folder of the one before.
        if (last === undefined) await fill(service);
        else assertEnded(await itemwright('publish', last, '--yes'), 0);
        last = join(folder, engine);
        assertEnded(await itemwright('pull', last), 0);
        folders.push(await filesIn(last));
      } finally {
        await service.stop();
        await empty.drop();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  assert.deepEqual(folders[1], folders[0]);
});

describe('the catalog on the command line', () => {
  test('has help of its own, without a service', async () => {
    for (const args of [
      ['catalog', '-h'],
      ['help', 'catalog'],
    ]) {
      const { code, stdout } = await runToEnd('src/cli.ts', args);
      assert.equal(code, 0);
      for (const command of ['pull', 'plan', 'publish', 'rollback', 'versions', 'show', 'export', 'import'])
        assert.ok(stdout.includes(`\n  catalog ${command} `), command);
      assert.ok(!stdout.includes('team create'));
    }
  });

  test('rejects invalid arguments, with exit code 1', async () => {
    const environment = { ITEMWRIGHT_URL: 'http://127.0.0.1:9', ITEMWRIGHT_CREDENTIALS: 'team:secret' };
    const invalid: readonly (readonly [string[], RegExp, Record<string, string>?])[] = [
      [[], /^Usage: itemwright catalog COMMAND\n[\s\S]*\n {2}catalog pull /],
      [['pulll', 'a'], /^itemwright: unknown command 'pulll'\n\(Did you mean pull\?\)/],
      [['pull'], /^itemwright: DIR is missing\n$/],
      [['pull', 'a', 'b'], /^itemwright: too many arguments for 'pull'/],
      [['pull', 'a', '--yes'], /^itemwright: unknown option '--yes'/],
      [['pull', 'a'], /^itemwright: ITEMWRIGHT_CREDENTIALS is missing: set it to TEAM_ID:SECRET\n$/, {}],
      [['versions'], /^itemwright: no response from http:\/\/127\.0\.0\.1:9 \(ITEMWRIGHT_URL\): .+\n$/],
      [['versions', '--limit', '0'], /^itemwright: --limit must be a whole number from 1\n$/],
      [['plan', 'nowhere'], /^itemwright: there is no nowhere\n$/],
      [['plan', 'package.json'], /^itemwright: package\.json is not a folder\n$/],
      [['publish', 'package.json', '--yes'], /^itemwright: package\.json is not a plan/],
      [['publish', 'package.json', '--merge'], /^itemwright: --merge is for folders/],
      [['show', '0'], /^itemwright: the version must be a whole number from 1\n$/],
      [['rollback', 'one'], /^itemwright: the version must be a whole number from 0\n$/],
    ];
    await Promise.all(
      invalid.map(async ([args, message, given = environment]) => {
        const { code, stdout, stderr } = await runToEnd('src/cli.ts', ['catalog', ...args], given);
        assert.equal(code, 1, args.join(' '));
        assert.equal(stdout, '');
        assert.match(stderr, message);
        assert.ok(!stderr.includes('    at '), 'no stack');
      }),
    );
  });
});
