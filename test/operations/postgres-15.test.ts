import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { check } from '../../src/cli/check.ts';
import { type Service, startService } from '../harness.ts';
import { findInstalledPostgres, startInstalledPostgres } from '../installed-postgres.ts';
import { assertDone } from '../rules.ts';
import { walkThroughInterface } from '../walk.ts';

const WEEK_MS = 7 * 86_400_000;
const { programs, missing } = findInstalledPostgres(15);

/** The oldest version that is supported; all other tests run on the newest. */
describe('on PostgreSQL 15', { skip: missing ?? false }, () => {
  let server: Awaited<ReturnType<typeof startInstalledPostgres>>;
  let service: Service;
  before(async () => {
    server = await startInstalledPostgres(programs as string);
    service = await startService(server.url);
  });
  after(async () => {
    await service?.stop();
    await server?.stop();
  });

  const query = async <Row>(statement: string): Promise<Row[]> =>
    (await service.database.read('', ({ queries }) => sql.raw<Row>(statement).execute(queries))).rows;

  const partitions = async () =>
    (await query("select 1 from pg_inherits where inhparent = 'roll_events'::regclass")).length;

  test('the server has that version', async () => {
    const [row] = await query<{ server_version: string }>('show server_version');
    assert.match(row?.server_version ?? '', /^15\./);
  });

  test('every operation works', () => walkThroughInterface(service));

  test('a roll that is kept and placed is replayed, listed and remembered', async () => {
    const team = await service.anotherTeam();
    for (const id of ['coin', 'gem']) assertDone(await team.post('/items', { id, name: id }));
    assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config: { pityThreshold: 10 } }));
    assertDone(await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 3, rows: 2 }));
    assertDone(await team.post('/users/ann/spaces', { id: 'bag-of-ann', spaceId: 'bag' }));
    const roll = () =>
      team.post(
        '/templates/banner/roll',
        { userId: 'ann', userSpaceId: 'bag-of-ann', count: 3 },
        { headers: { 'idempotency-key': 'once' } },
      );
    const rolled = assertDone(await roll());
    const replayed = assertDone(await roll());
    assert.deepEqual(replayed.body, rolled.body);
    assert.equal(replayed.headers.get('idempotency-replayed'), 'true');
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
    const kept = ids(rolled.body.rolls.map(({ itemInstance }: { itemInstance: { id: string } }) => itemInstance));
    const first = assertDone(await team.get('/item-instances?userId=ann&limit=2'));
    const link = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    assert.deepEqual(ids([...first.body, ...assertDone(await team.get(link)).body]), kept);
    const { body: bag } = assertDone(await team.get('/users/ann/spaces/bag-of-ann'));
    assert.deepEqual(ids(bag.itemInstances), kept);
    const { body: history } = assertDone(await team.get(`/item-instances/${kept[0]}/history`));
    assert.deepEqual([history.length, history[0].cause], [1, 'template:banner']);
    assert.equal(assertDone(await team.get('/roll-events/stats')).body.totalRolls, 3);
  });

  test('nothing is inconsistent afterwards', async () => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    await check.run({ databaseUrl: server.url, argument: undefined, options: {}, print });
    assert.match(lines.join('\n'), /^no problems found/);
  });

  test('old rolls are removed with their partition, and others are recorded', async () => {
    const { database } = service;
    await database.maintain();
    const before = await partitions();
    assert.ok((await query('select 1 from roll_events')).length > 0);
    await database.removeBefore('roll_events', Date.now() + WEEK_MS, () => true);
    assert.deepEqual(await query('select 1 from roll_events'), []);
    assert.ok((await partitions()) < before);
    assertDone(await service.post('/items/roll'));
    assert.equal((await query('select 1 from roll_events')).length, 1);
    await database.maintain();
  });
});
