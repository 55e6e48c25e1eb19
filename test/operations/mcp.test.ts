/** The command for assistants, as a process that the client of the protocol's own SDK talks to. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client as Assistant } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type Client, onEveryDatabase } from '../harness.ts';
import { runToEnd } from '../processes.ts';
import { assertDone } from '../rules.ts';

const ROOT = join(import.meta.dirname, '../..');

const startAssistant = async (environment: Record<string, string>): Promise<Assistant> => {
  const assistant = new Assistant({ name: 'test', version: '1' });
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  await assistant.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['src/cli.ts', 'mcp'],
      cwd: ROOT,
      env: { PATH, NODE_COMPILE_CACHE, ...environment },
    }),
  );
  return assistant;
};

const fill = async (team: Client): Promise<void> => {
  const classifierOptions = [{ name: 'Rare', dropRateMultiplier: 0.25 }, { name: 'Common' }];
  const { body } = assertDone(await team.post('/classifiers', { id: 'rarity', name: 'Rarity', classifierOptions }));
  const [rare, common] = body.classifierOptions.map(({ id }: { id: string }) => id);
  for (const [id, name, option] of [
    ['blade', 'Dawnblade', rare],
    ['club', 'Club', common],
  ])
    assertDone(await team.post('/items', { id, name, classifierOptionIds: [option], rollNumerator: 1 }));
  const config = { baseRates: { Rare: 0.1, Common: 0.9 } };
  assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config }));
};

const TOOLS = [
  ...['catalog_overview', 'find_items', 'get_entities', 'list_versions', 'get_version', 'get_odds', 'simulate'],
  ...['plan_changes', 'list_drafts', 'get_draft', 'plan_draft', 'create_draft', 'update_draft'],
];

onEveryDatabase('an assistant', (service) => {
  let team: Client;
  let assistant: Assistant;
  const environmentOf = ({ teamId, secret }: Pick<Client, 'teamId' | 'secret'>) => ({
    ITEMWRIGHT_URL: service().address,
    ITEMWRIGHT_CREDENTIALS: `${teamId}:${secret}`,
  });
  const call = async (who: Assistant, name: string, given: Record<string, unknown> = {}) => {
    const { content, isError = false } = await who.callTool({ name, arguments: given });
    const [{ text }] = content as [{ text: string }];
    return { isError, text };
  };
  // biome-ignore lint/suspicious/noExplicitAny: what tools return is JSON
  const done = async (name: string, given?: Record<string, unknown>, who = assistant): Promise<any> => {
    const { isError, text } = await call(who, name, given);
    assert.equal(isError, false, text);
    return JSON.parse(text);
  };
  const failed = async (name: string, given?: Record<string, unknown>, who = assistant): Promise<string> => {
    const { isError, text } = await call(who, name, given);
    assert.equal(isError, true, text);
    return text;
  };
  const versionNow = async (): Promise<number> => (await team.get('/catalog/versions?limit=1')).body[0].version;
  /** The change that makes a rare item twice as likely. */
  const doubled = async () => {
    const { entities } = await done('get_entities', { kind: 'template', ids: ['banner'] });
    const config = { ...entities[0].config, baseRates: { Rare: 0.2, Common: 0.8 } };
    return [{ kind: 'template', id: 'banner', after: { ...entities[0], config } }];
  };

  before(async () => {
    team = await service().anotherTeam();
    await fill(team);
    assistant = await startAssistant(environmentOf(team));
  });
  after(() => assistant.close());

  test('plans a doubled rarity, reads the odds, and makes a draft, which is not published', async () => {
    const version = await versionNow();
    const changes = await doubled();
    const odds = await done('get_odds', { templateId: 'banner' });
    assert.equal(odds.tiers[0].effective, 0.1);
    const plan = await done('plan_changes', { changes });
    assert.deepEqual([plan.isPublishable, plan.faults, plan.baseVersion], [true, [], version]);
    const [tier] = plan.odds.find(({ pool }: { pool: string }) => pool === 'banner').tiers;
    assert.deepEqual([tier.name, tier.before, tier.after], ['Rare', 0.1, 0.2]);
    assert.deepEqual(Object.keys(plan.changes[0].after), ['config']);

    const draft = await done('create_draft', { name: 'Twice as rare', baseVersion: version, changes });
    assert.deepEqual([draft.name, draft.count, draft.publishAt], ['Twice as rare', 1, null]);
    assert.deepEqual(
      (await done('list_drafts')).map(({ id }: { id: string }) => id),
      [draft.id],
    );
    assert.deepEqual((await done('plan_draft', { id: draft.id })).odds, plan.odds);
    const { revision } = await done('update_draft', { id: draft.id, name: 'Twice as likely' });
    assert.equal(revision, draft.revision + 1);
    const saved = (await team.get(`/catalog/drafts/${draft.id}`)).body;
    assert.deepEqual(saved, await done('get_draft', { id: draft.id }));
    assert.equal(saved.name, 'Twice as likely');
    assert.deepEqual(saved.changes[0].after.config, changes[0]?.after.config);

    assert.equal(await versionNow(), version);
    assert.equal((await done('get_odds', { templateId: 'banner' })).tiers[0].effective, 0.1);
  });

  test('has no tool that publishes, and says which ones change anything', async () => {
    const { tools } = await assistant.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS,
    );
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
    assert.deepEqual(changing, ['create_draft', 'update_draft']);
    for (const name of ['publish', 'publish_draft', 'publish_catalog', '__proto__'])
      assert.equal(await failed(name), `there is no tool ${name}`);
    // Nor can any code that they use: those are all the calls that they make.
    const folder = join(ROOT, 'src/cli/mcp');
    const code = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
    const calls = [...code.join('\n').matchAll(/\bclient\s*\.(\w+)\s*\.(\w+)\(/g)].map(
      ([, noun, verb]) => `${noun}.${verb}`,
    );
    assert.deepEqual([...new Set(calls)].sort(), [
      ...['catalog.get', 'catalog.plan', 'catalog.version', 'catalog.versions'],
      ...['catalogDrafts.create', 'catalogDrafts.get', 'catalogDrafts.list', 'catalogDrafts.update'],
      ...['items.odds', 'templates.odds', 'templates.previewOdds', 'templates.simulate'],
    ]);
  });

  test('leaves a draft alone that is scheduled, since that would be published', async () => {
    const { id } = await done('create_draft', { name: 'Later', changes: await doubled() });
    const at = '2099-01-01T00:00:00.000Z';
    assertDone(await team.post(`/catalog/drafts/${id}/publish`, { at }));
    const before = (await team.get(`/catalog/drafts/${id}`)).body;
    assert.match(await failed('update_draft', { id, name: 'Mine' }), /is scheduled for 2099-01-01T00:00:00\.000Z/);
    assert.deepEqual((await team.get(`/catalog/drafts/${id}`)).body, before);
    for (const member of ['publishAt', 'at', 'rebase', 'message'])
      assert.match(
        await failed('create_draft', { name: 'x', changes: await doubled(), [member]: at }),
        /is not a known/,
      );
  });

  test('finds what is in the catalog, also after it has changed', async () => {
    assert.deepEqual(
      (await done('find_items', { text: 'DAWN' })).items.map(({ id }: { id: string }) => id),
      ['blade'],
    );
    assertDone(await team.post('/items', { id: 'dawn-axe', name: 'Axe' }));
    const first = await done('find_items', { text: 'dawn', limit: 1 });
    assert.deepEqual([first.count, first.hasMore, first.items[0].id], [2, true, 'blade']);
    const second = await done('find_items', { text: 'dawn', limit: 1, after: 'blade' });
    assert.deepEqual([second.hasMore, second.items[0].id], [false, 'dawn-axe']);
    const overview = await done('catalog_overview');
    assert.deepEqual([overview.version, overview.items], [await versionNow(), 3]);
    const [newest] = await done('list_versions', { limit: 1 });
    const { changes } = await done('get_version', { version: newest.version });
    assert.deepEqual(changes, [{ kind: 'item', id: 'dawn-axe', name: 'Axe', action: 'create' }]);
  });

  test('simulates players of a template, and of a configuration that is not saved', async () => {
    const given = { players: 200, rolls: 10, seed: 's' };
    const expected = (await team.post('/templates/simulate', { templateId: 'banner', ...given })).body;
    const { targets } = await done('simulate', { templateId: 'banner', ...given });
    assert.deepEqual(targets[0].first, expected.targets[0].first);
    assert.ok(!('curve' in targets[0]));
    const config = { baseRates: { Rare: 1, Common: 1 } };
    assert.equal((await done('get_odds', { config })).tiers[0].effective, 0.5);
    assert.equal((await done('simulate', { config, ...given })).targets.length, 2);
    assert.match(await failed('simulate', { templateId: 'banner', config }), /^give either templateId, or config/);
  });

  test('is told what is wrong, and goes on', async () => {
    assert.match(
      await failed('get_entities', { kind: 'item', ids: ['none'] }),
      /^the catalog has no item with the id none$/,
    );
    assert.match(await failed('get_entities', { kind: 'user', ids: ['a'] }), /^\/kind must be one of attribute,/);
    assert.match(await failed('find_items', { limit: 0 }), /^\/limit must be >= 1$/);
    assert.match(await failed('get_odds', { templateId: 'none' }), /Not found|does not have this operation/);
    const plan = await done('plan_changes', { changes: [{ kind: 'item', id: 'blade', after: null }] });
    assert.deepEqual([plan.isPublishable, plan.faults.length > 0], [false, true]);
    assert.match(await failed('plan_changes', { changes: [] }), /^\/changes /);
    await done('catalog_overview');
  });

  test('may do what its secret may, for its own team', async () => {
    const { secret } = assertDone(await team.post('/secrets', { name: 'reader', role: 'read' })).body;
    const other = await service().anotherTeam();
    const [reader, stranger] = await Promise.all([
      startAssistant(environmentOf({ teamId: team.teamId, secret })),
      startAssistant(environmentOf(other)),
    ]);
    try {
      const changes = await doubled();
      assert.equal((await done('plan_changes', { changes }, reader)).isPublishable, true);
      for (const [name, given] of [
        ['create_draft', { name: 'x', changes }],
        ['simulate', { templateId: 'banner' }],
      ] as const)
        assert.match(await failed(name, given, reader), /may not do this: its role must be design, write or admin/);
      assert.equal((await done('catalog_overview', {}, stranger)).items, 0);
      assert.match(await failed('get_odds', { templateId: 'banner' }, stranger), /Not found|does not have/);
      const [mine] = await done('list_drafts');
      assert.ok(mine !== undefined);
      assert.deepEqual(await done('list_drafts', {}, stranger), []);
      await failed('update_draft', { id: mine.id, name: 'theirs' }, stranger);
    } finally {
      await Promise.all([reader.close(), stranger.close()]);
    }
  });

  test('can ask for many things at once', async () => {
    const changes = await doubled();
    const drafts = await Promise.all(
      Array.from({ length: 5 }, (_, index) => done('create_draft', { name: `Draft ${index}`, changes })),
    );
    assert.equal(new Set(drafts.map(({ id }) => id)).size, 5);
  });
});

test('the command for assistants says in a line what is missing, ends with its input, and alone loads its packages', async () => {
  const missing = await runToEnd('src/cli.ts', ['mcp']);
  assert.deepEqual([missing.code, missing.stdout], [1, '']);
  assert.match(missing.stderr, /^itemwright: ITEMWRIGHT_CREDENTIALS is missing/);
  const environment = { ITEMWRIGHT_CREDENTIALS: 'a:b' };
  assert.deepEqual(await runToEnd('src/cli.ts', ['mcp'], environment), { code: 0, stdout: '', stderr: '' });
  const traced = { NODE_DEBUG: 'esm', ...environment };
  assert.match((await runToEnd('src/cli.ts', ['mcp'], traced)).stderr, /modelcontextprotocol/);
  assert.doesNotMatch((await runToEnd('src/cli.ts', ['help', 'mcp'], traced)).stderr, /modelcontextprotocol/);
});
