/** The package as Unity and .NET find it, and the code in its README. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { blocksOf, readPage } from '../../../test/docs.ts';
import { generateMetas, guidOf } from '../../../tools/csharp/metas.ts';
import { compile, noMono } from './program.ts';

const PACKAGE = join(import.meta.dirname, '..');
const read = (path: string): Promise<string> => readFile(join(PACKAGE, path), 'utf8');

/** What C# projects of today have without asking for it. */
const USINGS = ['System', 'System.Threading.Tasks', 'Itemwright'].map((name) => `using ${name};`).join('\n');

const inTemporary = async (work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-csharp-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the package for Unity', () => {
  test('has a file with an id beside each asset, and none without', async () => {
    const metas = generateMetas(PACKAGE);
    assert.deepEqual(globSync('**/*.meta', { cwd: PACKAGE }).sort(), Object.keys(metas).sort());
    for (const [path, text] of Object.entries(metas)) assert.equal(await read(path), text, path);
  });

  test('has a scene whose parts refer to each other and to the script', async () => {
    const scene = await read('Samples~/PublicOdds/PublicOdds.unity');
    const anchors = [...scene.matchAll(/^--- !u!\d+ &(\d+)$/gm)].map(([, id]) => id);
    const references = [...scene.matchAll(/{fileID: (\d+)}/g)].map(([, id]) => id).filter((id) => id !== '0');
    assert.equal(new Set(anchors).size, anchors.length);
    for (const id of references) assert.ok(anchors.includes(id), `there is no ${id}`);
    assert.ok(scene.includes(`guid: ${guidOf('Samples~/PublicOdds/PublicOddsView.cs')}, type: 3`));
    const script = await read('Samples~/PublicOdds/PublicOddsView.cs');
    for (const [, field] of script.matchAll(/\[SerializeField\] private string (\w+)/g))
      assert.match(scene, new RegExp(`^ {2}${field}: \\S`, 'm'));
  });

  test('names its sample', async () => {
    const { samples } = JSON.parse(await read('package.json'));
    for (const { path } of samples) assert.ok(globSync('*.unity', { cwd: join(PACKAGE, path) }).length > 0);
  });
});

describe('code beside the C# client', { skip: noMono }, () => {
  test('compiles: the sample, against what it uses of Unity', async () => {
    const sources = ['Runtime/**/*.cs', 'Samples~/**/*.cs', 'Tests~/Unity/*.cs'];
    await inTemporary((folder) => compile(join(folder, 'sample.dll'), 'library', sources));
  });

  test('compiles: the blocks of the documentation', async () => {
    const pages = ['packages/csharp/README.md', 'docs/reference/client.md', 'docs/start/tutorial.md'];
    const blocks = pages.flatMap((page) => blocksOf(readPage(page), 'csharp'));
    assert.ok(blocks.length >= 9);
    // Mono's compiler does not know this. Each block is a scope of its own.
    const scopes = blocks
      .filter((block) => !block.includes('await foreach'))
      .map((block) => `{\n${block.replaceAll(/^using [\w.]+;$/gm, '').replace(/^var client = /m, 'client = ')}\n}`);
    const program = `${USINGS}\nstatic class Documented\n{\nstatic async Task RunAsync(ItemwrightClient client)\n{\n${scopes.join('\n')}\n}\n}\n`;
    await inTemporary(async (folder) => {
      await writeFile(join(folder, 'Documented.cs'), program);
      await compile(join(folder, 'documented.dll'), 'library', ['Runtime/**/*.cs'], [join(folder, 'Documented.cs')]);
    });
  });
});
