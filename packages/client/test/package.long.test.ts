/** The package as it is installed: complete, small, typed, and of use without anything else. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { blocksOf, readPage } from '../../../test/docs.ts';
import { onEveryDatabase } from '../../../test/harness.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGE = join(ROOT, 'packages/client');
const MAX_BYTES = 10_000;
const run = promisify(execFile);
const TSC = join(ROOT, 'node_modules/.bin/tsc');

const PROGRAM = `import { createClient, type ItemInstance, type Template, ValidationError } from '@itemwright/client';

const [url = '', teamId, secret] = process.argv.slice(2);
const client = createClient({ url, teamId, secret });
await client.items.create({ id: 'sword', name: 'Sword' });
const template: Template = await client.templates.create({ name: 'Banner', config: { pool: { itemIds: ['sword'] } } });
if (template.type === 'card_pack') console.log(template.config.slots?.length);
await client.templates.roll(template.id, { userId: 'ann', count: 2, grant: true });
const { item } = await client.items.roll({ userId: 'ann' });
const instances: ItemInstance[] = [];
for await (const instance of client.itemInstances.list({ userId: 'ann', limit: 2 })) instances.push(instance);
const { etag } = await client.items.get('sword').withResponse();
await client.items.update('sword', { name: 'Long sword' }, { ifMatch: etag });
try {
  await client.items.create({ id: 'sword', name: 'Another sword' });
} catch (error) {
  if (error instanceof ValidationError) console.log(error.issues[0]?.path);
}
console.log(item.name, instances.length);
`;

/** Pages whose blocks are programs. */
const DOCUMENTED = ['docs/reference/client.md', 'packages/client/README.md'];
const fileOf = (page: string): string => `${page.replaceAll('/', '-').slice(0, -'.md'.length)}.ts`;

/** Each line is a mistake. */
const MISTAKES = `import { createClient } from '@itemwright/client';
const client = createClient({ url: 'http://127.0.0.1' });
client.items.roll({ user: 'ann' });
client.templates.roll({ userId: 'ann' });
(await client.items.get('a')).nome;
client.items.update('a', {}, { ifmatch: 'a' });
client.secrets.create({ name: 'a', role: 'read' }, { idempotencyKey: 'a' });
await client.items.list().length;
client.itemInstances.list({ userID: 'ann' });
const template = await client.templates.get('a');
template.config.slots;
if (template.type === 'idle') template.config.slots;
`;

const typeCheck = (folder: string, name: string): Promise<string> =>
  run(
    TSC,
    ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023']
      .concat(['--lib', 'es2023,dom', '--skipLibCheck', 'false', '--typeRoots', join(ROOT, 'node_modules/@types')])
      .concat(['--types', 'node', name]),
    { cwd: folder },
  ).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );

let folder: string;
const install = async (): Promise<void> => {
  await run(process.execPath, ['tools/build-client.ts'], { cwd: ROOT });
  folder = await mkdtemp(join(tmpdir(), 'itemwright-client-'));
  await writeFile(
    join(folder, 'package.json'),
    '{ "name": "game", "version": "1.0.0", "type": "module", "private": true }',
  );
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, PACKAGE], { cwd: folder });
  const packed = JSON.parse(stdout);
  const [{ filename }] = Array.isArray(packed) ? packed : (Object.values(packed) as never);
  const command = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, filename)];
  await run('npm', command, { cwd: folder });
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  await writeFile(join(folder, 'mistakes.ts'), MISTAKES);
  for (const page of DOCUMENTED) await writeFile(join(folder, fileOf(page)), blocksOf(readPage(page), 'ts').join('\n'));
};
let installed: Promise<void> | undefined;
/** Once for all suites. */
const installOnce = (): Promise<void> => {
  installed ??= install();
  return installed;
};
after(() => rm(folder, { recursive: true, force: true }));

describe('the package of the client', () => {
  before(installOnce);

  test('has the version of the service, and no dependencies', async () => {
    const [service, client] = await Promise.all(
      [ROOT, PACKAGE].map(async (place) => JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))),
    );
    assert.deepEqual([client.version, client.license], [service.version, service.license]);
    assert.deepEqual([client.dependencies, client.peerDependencies], [undefined, undefined]);
    const installed = await readdir(join(folder, 'node_modules'));
    assert.deepEqual(
      installed.filter((name) => !name.startsWith('.')),
      ['@itemwright'],
    );
  });

  test('has licence, README, JavaScript and declarations, and nothing else', async () => {
    const root = join(folder, 'node_modules/@itemwright/client');
    const files = await readdir(root, { recursive: true });
    const modules = [
      'client',
      'errors',
      'feed',
      'index',
      'list',
      'operations',
      'options',
      'rotate',
      'schema',
      'send',
      'version',
    ];
    const expected = modules.flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]);
    assert.deepEqual(files.sort(), [...expected, 'LICENSE', 'README.md', 'dist', 'package.json'].sort());
  });

  test('is small', async (t) => {
    const dist = join(folder, 'node_modules/@itemwright/client/dist');
    const scripts = (await readdir(dist)).filter((name) => name.endsWith('.js')).sort();
    const texts = await Promise.all(scripts.map((name) => readFile(join(dist, name))));
    const bytes = gzipSync(Buffer.concat(texts)).length;
    t.diagnostic(`${bytes} bytes of JavaScript, compressed`);
    assert.ok(bytes < MAX_BYTES);
    for (const text of texts) assert.doesNotMatch(text.toString(), /from '(?!\.\/)|\bnode:|process\./);
  });

  test('has types that know what is right', async () => {
    for (const name of ['program.ts', ...DOCUMENTED.map(fileOf)]) assert.equal(await typeCheck(folder, name), '');
  });

  test('has types that know what is wrong', async () => {
    const lines = [...(await typeCheck(folder, 'mistakes.ts')).matchAll(/^mistakes\.ts\((\d+),/gm)].map(([, line]) =>
      Number(line),
    );
    assert.deepEqual([...new Set(lines)], [3, 4, 5, 6, 7, 8, 9, 11, 12]);
  });
});

onEveryDatabase('an installed client', (service) => {
  before(installOnce);

  test('rolls', async () => {
    const { address, teamId, secret } = service();
    const { stdout } = await run(process.execPath, ['program.ts', address, teamId, secret], { cwd: folder });
    assert.equal(stdout, '/body/id\nSword 3\n');
  });

  test('does what is documented', async () => {
    const { address, anotherTeam } = service();
    const { teamId, secret, post } = await anotherTeam();
    await post('/items', { id: 'sword', name: 'Sword' });
    await post('/spaces', { id: 'small', name: 'Small', cols: 1, rows: 1 });
    await post('/users/player-1/spaces', { id: 'small-bag', spaceId: 'small' });
    const config = { pool: { itemIds: ['sword'] }, sparkCurrency: 100, featuredItemIds: ['sword'] };
    await post('/templates', { id: 'launch-banner', name: 'Launch banner', config });
    const printed = await Promise.all(
      DOCUMENTED.map(async (page) => {
        const text = await readFile(join(folder, fileOf(page)), 'utf8');
        const filled = text
          .replace('http://127.0.0.1:8080', address)
          .replace('TEAM_ID', teamId)
          .replace('SECRET', secret);
        await writeFile(join(folder, `run-${fileOf(page)}`), filled);
        const { stdout, stderr } = await run(process.execPath, [`run-${fileOf(page)}`], { cwd: folder });
        assert.equal(stderr, '');
        return stdout;
      }),
    );
    assert.match(printed[0] ?? '', /^Sword [\w-]+ 10 \d+ 1\nnot enough points .*100 %\n\d+\n$/s);
    assert.match(printed[1] ?? '', /^No room: /);
  });
});
