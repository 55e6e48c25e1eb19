/** Starts this version on databases of earlier releases, which must go on as if nothing had happened. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { check } from '../../src/cli/check.ts';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import {
  type ApiResponse,
  basic,
  type Client,
  createEmptyDatabase,
  type EmptyDatabase,
  ENGINES,
  type Service,
  startService,
} from '../harness.ts';
import { freePort, run, runToEnd } from '../processes.ts';
import { openRelease, RELEASES, type Recording, readRecording, schemaOf } from '../releases/release.ts';
import { assertDone } from '../rules.ts';
import { verified } from '../verified.ts';

/** Asserts that a response has all that an earlier one had; it may have more members. */
const assertKept = (before: unknown, now: unknown, path: string): void => {
  if (Array.isArray(before)) {
    assert.ok(Array.isArray(now), `${path} is no list`);
    assert.equal(now.length, before.length, `${path} has another length`);
    for (const [index, entry] of before.entries()) assertKept(entry, now[index], `${path}/${index}`);
  } else if (typeof before === 'object' && before !== null) {
    assert.ok(typeof now === 'object' && now !== null, `${path} is ${now}`);
    for (const [key, value] of Object.entries(before)) {
      assert.ok(key in now, `${path}/${key} is missing`);
      assertKept(value, (now as Record<string, unknown>)[key], `${path}/${key}`);
    }
  } else assert.equal(now, before, `${path} has changed`);
};

/** Receipts of the first edition were dropped, and their players have no seeds. */
const hasChains = ({ memory }: Recording): boolean => memory.fair?.edition !== undefined;
const OF_CHAINS = /^\/users\/[^/]+\/(fairness|receipts|proof)/;

const assertUndamaged = async (databaseUrl: string): Promise<void> => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  assert.ok(await check.run({ databaseUrl, argument: undefined, options: {}, print }), lines.join('\n'));
  assert.match(lines.join('\n'), /^no problems found: checked [1-9]/m);
};

/** The schema that the migrations up to one make of an empty database. */
const schemaUntil = async (engine: (typeof ENGINES)[number], last: string): Promise<string[]> => {
  const empty = await createEmptyDatabase(engine);
  const database = openDatabase(empty.url);
  try {
    const until = Object.entries(MIGRATIONS).filter(([name]) => name.slice(0, 4) <= last.slice(0, 4));
    await database.migrate(Object.fromEntries(until));
    return await schemaOf(empty.url);
  } finally {
    await database.close();
    await empty.drop();
  }
};

for (const release of RELEASES)
  for (const engine of ENGINES)
    describe(`a database of ${release} on ${engine}`, () => {
      let recording: Recording;
      let old: EmptyDatabase;
      let schema: string[];
      let service: Service;
      const clientOf = (name: string): Client => {
        const { teamId, secret } = recording.teams.find((team) => team.name === name) ?? assert.fail(name);
        return service.anyone(basic(teamId, secret));
      };

      before(async () => {
        recording = await readRecording(release, engine);
        old = await openRelease(release, engine);
        schema = await schemaOf(old.url);
      });
      after(async () => {
        await service?.stop();
        await old?.drop();
      });

      test('has the schema that the migrations of the release still make', async () => {
        assert.deepEqual(schema, await schemaUntil(engine, recording.schema));
      });

      test('is unchanged if the upgrade is killed in the middle', async () => {
        const { child, ended } = run('test/releases/killed-migration.ts', [], { DATABASE_URL: old.url });
        const { stderr } = await ended;
        assert.deepEqual([child.signalCode, stderr], ['SIGKILL', '']);
        assert.deepEqual(await schemaOf(old.url), schema);
      });

      test('is migrated when the service starts, which then responds as before', async () => {
        const offsetMs = Date.now() - Date.parse(recording.takenAt) - 60_000;
        service = await startService(old.url, {}, undefined, { clock: () => Date.now() - offsetMs });
        assert.deepEqual(await schemaOf(old.url), await schemaUntil(engine, '9999'));
        for (const { name, responses } of recording.teams) {
          const { get } = clientOf(name);
          for (const [path, before] of Object.entries(responses))
            if (hasChains(recording) || !OF_CHAINS.test(path))
              assertKept(before, assertDone(await get(path)).body, `${name} GET ${path}: `);
        }
      });

      test('has no damage', () => assertUndamaged(old.url));

      test('returns a stored response for its key', async () => {
        const { path, body, key, response } = recording.memory.keyed;
        const { post, get } = clientOf('game');
        const rolls = async () => (await get('/roll-events/stats')).body.totalRolls;
        const before = await rolls();
        const again = assertDone(await post(path, body, { headers: { 'idempotency-key': key } }));
        assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [response, 'true']);
        assert.equal(await rolls(), before);
      });

      test('continues the chains of verifiable rolls, or begins the second edition', async (t) => {
        if (recording.memory.fair === undefined) return t.skip('there were none');
        const { userId, receipts, commitment } = recording.memory.fair;
        const { get, post } = clientOf('game');
        if (!hasChains(recording)) {
          assert.equal((await get(`/users/${userId}/fairness`)).status, 404);
          assert.deepEqual(assertDone(await get(`/users/${userId}/receipts`)).body, []);
          assert.equal((await post('/templates/open/roll', { userId })).status, 409);
        }
        const rotate = async (clientSeed: string) => {
          const next = assertDone(await post(`/users/${userId}/fairness`)).body;
          const seeds = { clientSeed, commitment: next.nextCommitment, manifest: next.nextManifest };
          return assertDone(await post(`/users/${userId}/fairness/rotate`, seeds)).body;
        };
        const kept = hasChains(recording)
          ? { receipts, commitment }
          : { receipts: [], commitment: (await rotate('after the upgrade')).commitment };
        const { fairness } = assertDone(await post('/templates/open/roll', { userId })).body;
        await rotate('again');
        const proof = assertDone(await get(`/users/${userId}/proof?epoch=all`)).body;
        const { isSound, counts } = verified(proof, {
          receipts: [...kept.receipts, fairness.receipt],
          seeds: [{ commitment: kept.commitment }],
        });
        assert.deepEqual([isSound, counts.sealed, counts.failed], [true, 0, 0]);
      });

      test('is worked with', async () => {
        const { get, post } = clientOf('game');
        const read = async (path: string): Promise<ApiResponse['body']> => assertDone(await get(path)).body;
        const userId = 'ann';
        const at = { userId, userSpaceId: 'chest-of-ann' };
        const { totalRolls } = await read('/roll-events/stats');
        const state = await read('/users/ann/templates/banner');
        const rolled = assertDone(await post('/templates/banner/roll', { ...at, grant: true })).body;
        assert.equal(rolled.state.rolls, state.rolls + 1);
        for (const id of ['pack', 'offers', 'hours']) assertDone(await post(`/templates/${id}/roll`, { userId }));
        assertDone(await post('/items/roll', { userId }));
        assert.ok((await read('/roll-events/stats')).totalRolls >= totalRolls + 4);
        assertDone(await post('/item-instances/first/move', { userId, spacePositionX: 5, spacePositionY: 5 }));
        const onto = { ...at, itemId: 'dot', spacePositionX: 5, spacePositionY: 5 };
        assert.equal((await post('/item-instances', onto)).status, 409);
        assertDone(await post('/item-instances', { ...onto, spacePositionX: 0 }));
        assertDone(await post('/users', { id: 'bob' }));
        assertDone(await post('/item-instances/second/transfer', { userId, toUserId: 'bob' }));
        assert.deepEqual(
          (await read('/item-instances/second/history')).map(({ event }: { event: string }) => event),
          ['created', 'transferred'],
        );
        if ((await get('/catalog/drafts/idea')).status === 200) {
          assertDone(await post('/catalog/drafts/idea/publish', { rebase: true }));
          assert.equal((await read('/items/later')).name, 'Later');
        }
        assertDone(await clientOf('game').delete('/users/ann'));
        await assertUndamaged(old.url);
      });

      // The oldest and the newest are enough: a process takes longer to start than everything above.
      const skip = ![RELEASES[0], RELEASES.at(-1)].includes(release);
      test('is started by the program itself, and asks for no first team', { skip }, async () => {
        const fresh = await openRelease(release, engine);
        try {
          const environment = { DATABASE_URL: fresh.url, PORT: String(await freePort()) };
          const { child, said, ended } = run('src/main.ts', [], environment);
          await said('"msg":"listening"');
          child.kill('SIGTERM');
          assert.deepEqual([(await ended).code, (await ended).stderr], [0, '']);
          const { stdout } = await runToEnd('src/cli.ts', ['check'], { DATABASE_URL: fresh.url });
          assert.match(stdout, /^no problems found/);
        } finally {
          await fresh.drop();
        }
      });
    });
