/** The command that writes the ids of a catalog as code, which compilers of its languages then read. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { Language, Parser } from 'web-tree-sitter';
import type { Surroundings } from '../../src/cli/catalog/terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { type Client, onEveryDatabase } from '../harness.ts';
import type { Ended } from '../processes.ts';
import { assertDone } from '../rules.ts';

/** Runs the command line in this process. */
const run = async (args: readonly string[], env: Record<string, string>): Promise<Ended> => {
  const written = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    new PassThrough().on('data', (chunk) => {
      written[name] += chunk;
    });
  const streams = { stdin: Readable.from([]), stdout: collect('stdout'), stderr: collect('stderr') };
  const code = await runCommandLine(args, { ...streams, env } as unknown as Surroundings);
  return { code, ...written };
};

type Constants = Record<string, Record<string, string>>;

/** What the generated TypeScript is for Node. */
const readTypescript = async (folder: string, code: string): Promise<Constants> => {
  const path = join(folder, 'ids.ts');
  await writeFile(path, `${code}\nexport const used: ItemId = Object.values(Items)[0] as ItemId;\n`);
  const compiler = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace(/package\.json$/, 'bin/tsc');
  execFileSync(process.execPath, [compiler, '--noEmit', '--strict', '--target', 'esnext', path], { cwd: folder });
  const { used, ...groups } = await import(`${path}?${Math.random()}`);
  return groups;
};

const PRINT = `
using System; using System.Reflection; using System.Text;
public static class Program {
    static string Hex(string text) { return Convert.ToBase64String(Encoding.UTF8.GetBytes(text)); }
    public static void Main() {
        foreach (var group in typeof(ItemwrightIds).GetNestedTypes())
            foreach (var field in group.GetFields())
                Console.WriteLine(group.Name + " " + field.Name + " " + Hex((string)field.GetRawConstantValue()));
    }
}`;

/** What the generated C# is for Mono; warnings are errors. */
const readCsharp = async (folder: string, code: string): Promise<Constants> => {
  await writeFile(join(folder, 'ids.cs'), code);
  await writeFile(join(folder, 'program.cs'), PRINT);
  const files = ['-warnaserror', '-warn:4', '-out:ids.exe', 'ids.cs', 'program.cs'];
  const { status, stdout, stderr } = spawnSync('mcs', files, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  const groups: Constants = {};
  for (const line of execFileSync('mono', ['ids.exe'], { cwd: folder, encoding: 'utf8' }).trim().split('\n')) {
    const [group = '', name = '', value = ''] = line.split(' ');
    groups[group] = { ...groups[group], [name]: Buffer.from(value, 'base64').toString() };
  }
  return groups;
};

/** What the generated GDScript is for a parser. Its escapes are those of JSON. */
const readGdscript = async (code: string): Promise<Constants> => {
  await Parser.init();
  const wasm = createRequire(import.meta.url).resolve('@cursorless/tree-sitter-wasms/out/tree-sitter-gdscript.wasm');
  const parser = new Parser();
  parser.setLanguage(await Language.load(wasm));
  const tree = parser.parse(code);
  assert.ok(tree !== null && !tree.rootNode.hasError, code);
  const groups: Constants = {};
  for (const group of tree.rootNode.descendantsOfType('class_definition')) {
    const constants = group?.descendantsOfType('const_statement') ?? [];
    groups[group?.childForFieldName('name')?.text ?? ''] = Object.fromEntries(
      constants.map((constant) => [
        constant?.childForFieldName('name')?.text,
        JSON.parse(constant?.childForFieldName('value')?.text ?? ''),
      ]),
    );
  }
  tree.delete();
  return groups;
};

const lacksMono = spawnSync('mcs', ['--version']).status === 0 ? false : 'mcs of Mono is not installed';

/** Ids and names that are no identifiers, or those of others. */
const NASTY = [
  ['iron-sword', 'Iron Sword'],
  ['iron_sword', 'Iron sword, too'],
  ['IronSword', 'Iron again'],
  ['3rd.sword', 'Ends a comment */ and <b> & "quotes"'],
  ['-:_', 'Line\nbreak \u2028 and \u202e order'],
  ['items', 'Like its class'],
  ['Items', 'Like its class, in capitals'],
  ['equals', 'Like a member of every object'],
  ['pi', 'A constant of GDScript'],
  ['json', 'A class of Godot'],
  ['connect-deferred', 'A constant of every object'],
  ['__proto__', 'A prototype'],
  ['class', 'A keyword'],
  ['star', '/*'],
] as const;

/** Ids that no service would accept, but somebody may have written into a folder. */
const WILD = ['quote"back\\slash', "it's */", 'Ärger 🗡', '剣', 'line\nbreak\u0085\u2028\u0001', '# $' + '{x} %s {0}'];

const LANGUAGES = ['ts', 'cs', 'gd'] as const;

onEveryDatabase('the ids of a catalog as code', (service) => {
  let team: Client;
  let folder: string;
  let options: { id: string; name: string }[];
  let unnamed: string[];
  const environment = () => ({
    ITEMWRIGHT_URL: service().address,
    ITEMWRIGHT_CREDENTIALS: `${team.teamId}:${team.secret}`,
  });
  const path = (name: string): string => join(folder, name);
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args, environment());
    assert.deepEqual([code, stderr], [0, ''], stdout);
    return stdout;
  };
  const failed = async (args: readonly string[], env: Record<string, string> = environment()): Promise<string> => {
    const { code, stdout, stderr } = await run(args, env);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    return stderr;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-types-'));
    team = await service().anotherTeam();
    const classifierOptions = [{ name: 'Ultra rare' }, { name: 'Common' }, { name: '稀' }];
    const rarity = await team.post('/classifiers', { id: 'rarity', name: 'Rarity', classifierOptions });
    options = assertDone(rarity).body.classifierOptions;
    const classifierOptionIds = [options[1]?.id];
    for (const [id, name] of NASTY) assertDone(await team.post('/items', { id, name, classifierOptionIds }));
    unnamed = [];
    for (const name of ['Health Potion', 'HP2 potion', '薬'])
      unnamed.push(assertDone(await team.post('/items', { name })).body.id);
    assertDone(await team.post('/attributes', { id: 'damage', name: 'Damage', min: 0, max: 1 }));
    assertDone(await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 1, rows: 1 }));
    const config = { baseRates: { Common: 1 } };
    assertDone(await team.post('/templates', { id: 'winter:banner', name: 'Winter', config }));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Every id is there once, exactly, in each group. */
  const assertComplete = (constants: Constants): void => {
    const ids = (group: string): string[] => Object.values(constants[group] ?? {}).sort();
    assert.deepEqual(Object.keys(constants).sort(), [
      ...['Attributes', 'Classifiers', 'Items', 'Options', 'Spaces', 'Templates'],
    ]);
    assert.deepEqual(ids('Items'), [...NASTY.map(([id]) => id), ...unnamed].sort());
    assert.deepEqual(ids('Options'), options.map(({ id }) => id).sort());
    assert.deepEqual([ids('Attributes'), ids('Classifiers')], [['damage'], ['rarity']]);
    assert.deepEqual([ids('Templates'), ids('Spaces')], [['winter:banner'], ['bag']]);
  };

  test('is TypeScript with the names that one expects', async () => {
    const constants = await readTypescript(folder, await done('types', 'ts'));
    assertComplete(constants);
    const { Items = {}, Options = {}, Templates = {} } = constants;
    assert.deepEqual(Templates, { WinterBanner: 'winter:banner' });
    assert.equal(Items.HealthPotion, unnamed[0]);
    assert.equal(Items.Hp2Potion, unnamed[1]);
    assert.equal(Options.RarityUltraRare, options[0]?.id);
    assert.equal(Options.RarityCommon, options[1]?.id);
    assert.equal(Items._3rdSword, '3rd.sword');
    // None of three that would be called the same is preferred.
    assert.equal(Items.IronSword, undefined);
    assert.equal(Object.keys(Items).filter((name) => /^IronSword_[0-9a-f]{8}$/.test(name)).length, 3);
    assert.equal(Object.keys(Items).filter((name) => /^Item_[0-9a-f]{8}$/.test(name)).length, 2);
    assert.equal(Object.keys(Options).filter((name) => /^RarityOption_[0-9a-f]{8}$/.test(name)).length, 1);
  });

  test('is C# that compiles without a warning', { skip: lacksMono }, async () => {
    const constants = await readCsharp(folder, await done('types', 'cs'));
    assertComplete(constants);
    assert.equal(constants.Items?.Equals_, 'equals');
    assert.equal(constants.Items?.HealthPotion, unnamed[0]);
  });

  test('is GDScript', async () => {
    const constants = await readGdscript(await done('types', 'gd'));
    assertComplete(constants);
    const { Items = {} } = constants;
    assert.deepEqual([Items.PI_, Items.JSON_, Items.CONNECT_DEFERRED_], ['pi', 'json', 'connect-deferred']);
    assert.equal(Items.HEALTH_POTION, unnamed[0]);
  });

  test('is the same from a folder, without a service, and is written only if it has changed', async () => {
    await done('catalog', 'pull', path('catalog'));
    for (const language of LANGUAGES) {
      const file = path(`written.${language}`);
      const { code, stdout, stderr } = await run(['types', language, '--folder', path('catalog'), '-o', file], {});
      assert.deepEqual([code, stdout, stderr], [0, `${file}: ${NASTY.length + 10} constants\n`, '']);
      assert.equal(await readFile(file, 'utf8'), await done('types', language));
      const { mtimeMs } = await stat(file);
      assert.match(await done('types', language, '-o', file), / constants, unchanged\n$/);
      assert.equal((await stat(file)).mtimeMs, mtimeMs);
    }
  });

  test('has every id of a folder exactly, whatever it is', async () => {
    await done('catalog', 'pull', path('wild'));
    await writeFile(join(path('wild'), 'items.json'), JSON.stringify(WILD.map((id) => ({ id, name: id }))));
    const code = (language: string) => done('types', language, '--folder', path('wild'));
    const read = [await readTypescript(folder, await code('ts')), await readGdscript(await code('gd'))];
    if (!lacksMono) read.push(await readCsharp(folder, await code('cs')));
    for (const { Items = {} } of read) assert.deepEqual(Object.values(Items).sort(), [...WILD].sort());
    assert.equal(read[0]?.Items?.Arger, 'Ärger 🗡');
  });

  test('is what a secret may read, and has nothing of other teams', async () => {
    const reader = assertDone(await team.post('/secrets', { name: 'reader', role: 'read' })).body;
    const env = { ...environment(), ITEMWRIGHT_CREDENTIALS: `${team.teamId}:${reader.secret}` };
    assert.equal((await run(['types', 'ts'], env)).stdout, await done('types', 'ts'));
    const other = await service().anotherTeam();
    for (const language of LANGUAGES) {
      const credentials = { ...environment(), ITEMWRIGHT_CREDENTIALS: `${other.teamId}:${other.secret}` };
      const { code, stdout } = await run(['types', language], credentials);
      assert.equal(code, 0);
      assert.doesNotMatch(stdout, /sword/i);
      if (language === 'gd') assert.deepEqual((await readGdscript(stdout)).Items, {});
      else if (language === 'ts') assert.match(stdout, /\nexport const Items = \{\n\} as const;\n/);
    }
  });

  test('is refused in one line if there is anything wrong', async () => {
    assert.match(await failed(['types']), /^itemwright: the language is missing\n$/);
    for (const language of ['js', 'TS', '__proto__', 'constructor'])
      assert.match(await failed(['types', language]), /^itemwright: the language must be one of ts, cs, gd\n$/);
    assert.match(await failed(['types', 'ts'], {}), /ITEMWRIGHT_CREDENTIALS is missing/);
    assert.match(await failed(['types', 'ts', '--folder', path('none')]), /attributes\.json is missing/);
    assert.match(await failed(['types', 'ts', '-o', path('none/ids.ts')]), /^itemwright: ENOENT/);
    await done('catalog', 'pull', path('edited'));
    for (const [list, reason] of [
      [[null], /^itemwright: the classifier has no id: publish the folder, and pull it again\n$/],
      [[{ id: 1, name: 'Rarity' }], /^itemwright: the classifier "Rarity" has no id/],
      [[{ id: 'rarity' }], /^itemwright: the classifier rarity has no name\n$/],
      [[{ id: 'rarity', name: 'Rarity' }], /^itemwright: the classifier rarity has no list of options\n$/],
      [
        [{ id: 'rarity', name: 'Rarity', classifierOptions: [{ name: 'New\u001b' }] }],
        /^itemwright: the option of rarity "New\\u001b" has no id: publish/,
      ],
    ] as const) {
      await writeFile(join(path('edited'), 'classifiers.json'), JSON.stringify(list));
      assert.match(await failed(['types', 'ts', '--folder', path('edited')], {}), reason);
    }
  });
});

describe('identifiers', () => {
  test('keep their meaning when others come and go', async () => {
    const { identifiersOf, pascalCase } = await import('../../src/cli/catalog/identifiers.ts');
    const name = (...ids: string[]) =>
      identifiersOf(
        ids.map((id) => ({ id, parts: [id] })),
        'Item',
        { join: pascalCase, reserved: new Set(['Taken']) },
      );
    const [one = '', two = ''] = name('a-b', 'a_b').values();
    assert.match(one, /^AB_[0-9a-f]{8}$/);
    assert.notEqual(one, two);
    assert.equal(name('a_b', 'c', 'a-b').get('a-b'), one);
    assert.deepEqual([...name('a-b', 'taken', '').values()].slice(0, 2), ['AB', 'Taken_']);
    // Not even one that was made to look like another.
    const made = name('a-b', 'a_b', one, one.replace('_', ' '));
    assert.equal(new Set(made.values()).size, 4);
  });
});
