import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/database/work.ts';
import { ServiceError } from '../../src/shared/errors.ts';
import { createEmptyDatabase, type EmptyDatabase, onEveryDatabase, startService } from '../harness.ts';
import { freePort, type Running, run } from '../processes.ts';

const DOCS = join(import.meta.dirname, '../..', 'docs/operate');

interface Sample {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly value: number;
}

/** Parses metrics as Prometheus would, and fails on an invalid line. */
const parse = (text: string) => {
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (declared !== undefined) {
      assert.ok(!types.has(declared), `${declared} is declared once`);
      types.set(declared, type as string);
    }
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (-?[\d.e+-]+|NaN|[+-]Inf|Nan)$/.exec(line) ?? [];
    assert.ok(name !== undefined, line);
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, given]) => [label, given]);
    samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return { samples, types };
};

const sumOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);

onEveryDatabase('metrics', (service, engine) => {
  test('show what a service does', async () => {
    const empty = await createEmptyDatabase(engine);
    const measured = await startService(empty.url, { METRICS: 'on' });
    try {
      await measured.post('/items', { id: 'coin', name: 'Coin' });
      for (let count = 0; count < 3; count += 1) await measured.post('/items/roll');
      await Promise.all(['ann', 'ann'].map((userId) => measured.post('/items/roll', { userId })));
      await measured.get('/users/nobody');
      await measured.anyone().get('/team');
      await measured.anyone().get('/no/such/path');
      const { body, headers } = await measured.anyone().get('/metrics');
      assert.match(headers.get('content-type') ?? '', /^text\/plain/);
      const { samples } = parse(body);
      const count = 'itemwright_request_seconds_count';
      assert.equal(sumOf(samples, count, { method: 'POST', route: '/items/roll', status: '2xx' }), 5);
      assert.equal(sumOf(samples, count, { route: '/users/:userId', status: '4xx' }), 1);
      const rejections = (code: string, reason = '') => sumOf(samples, 'itemwright_refusals_total', { code, reason });
      assert.equal(rejections('NOT_FOUND'), 2);
      assert.equal(rejections('UNAUTHORIZED'), 1);
      assert.equal(rejections('SERVICE_UNAVAILABLE', 'database'), 0);
      assert.equal(sumOf(samples, 'itemwright_requests_under_way'), 1, 'the one for the metrics');
      assert.ok(sumOf(samples, 'itemwright_event_loop_delay_seconds', { quantile: '1' }) > 0);
      assert.ok(sumOf(samples, 'itemwright_group_commands_sum') >= 5);
      assert.ok(sumOf(samples, 'itemwright_connection_wait_seconds_count', { purpose: 'group' }) > 0);
      assert.ok(sumOf(samples, 'itemwright_connection_wait_seconds_count', { purpose: 'read' }) > 0);
      assert.ok(sumOf(samples, 'itemwright_reruns_total', { reason: 'loading' }) > 0);
      assert.equal(sumOf(samples, 'itemwright_sync_seconds_count') > 0, engine === 'sqlite');
      assert.equal(sumOf(samples, 'itemwright_cached_catalogs'), 1);
      assert.equal(sumOf(samples, 'itemwright_cached_catalog_items'), 1);
      assert.ok(!body.includes('nobody') && !body.includes(measured.teamId), 'no ids');
    } finally {
      await measured.stop();
      await empty.drop();
    }
  });

  test('are not served unless enabled', async () => {
    assert.equal((await service().anyone().get('/metrics')).status, 404);
  });
});

test('metrics show why valid requests are rejected', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url, { METRICS: 'on', RATE_LIMIT: '1' });
  try {
    const many = await Promise.all(Array.from({ length: 30 }, () => service.get('/team')));
    const rejected = many.filter(({ status }) => status === 429).length;
    assert.ok(rejected > 0);
    const { samples } = parse((await service.anyone().get('/metrics')).body);
    const labels = { code: 'TOO_MANY_REQUESTS', reason: 'rate' };
    assert.equal(sumOf(samples, 'itemwright_refusals_total', labels), rejected);
  } finally {
    await service.stop();
    await empty.drop();
  }
});

describe('metrics of two workers behind one port', () => {
  let empty: EmptyDatabase;
  let running: Running;
  after(async () => {
    running?.child.kill('SIGTERM');
    await running?.ended;
    await empty?.drop();
  });

  test('are complete from either worker', async () => {
    empty = await createEmptyDatabase('postgres');
    const port = await freePort();
    running = run('src/main.ts', [], {
      DATABASE_URL: empty.url,
      PORT: String(port),
      WORKERS: '2',
      METRICS: 'on',
    });
    await running.said(/(?:"worker is ready"[\s\S]*){2}/);
    const fetchText = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text();
    const requests = 20;
    // Separate connections, so that both workers get some.
    for (let count = 0; count < requests; count += 1) await fetchText('/healthz');
    for (let scrape = 0; scrape < 4; scrape += 1) {
      const { samples, types } = parse(await fetchText('/metrics'));
      const counts = samples.filter(
        ({ name, labels }) => name === 'itemwright_request_seconds_count' && labels.route === '/healthz',
      );
      assert.deepEqual(counts.map(({ labels }) => labels.worker).sort(), ['1', '2']);
      assert.equal(
        counts.reduce((sum, { value }) => sum + value, 0),
        requests,
      );
      for (const { name, labels } of samples) assert.ok(['1', '2'].includes(labels.worker ?? ''), name);
      assert.ok(types.size > 20);
    }
  });
});

/** A database on which no transaction of a team succeeds. */
const refusing =
  (teamId: () => string | undefined) =>
  (database: Database): Database => ({
    ...database,
    transaction: async (id, work) => {
      if (id === teamId()) throw new ServiceError('SERVICE_UNAVAILABLE');
      return database.transaction(id, work);
    },
  });

onEveryDatabase('the metrics of chores', (_service, engine) => {
  test('show how late a draft is, and since when a chore has not been done', async () => {
    const empty = await createEmptyDatabase(engine);
    let broken: string | undefined;
    const service = await startService(empty.url, { METRICS: 'on' }, undefined, { disguise: refusing(() => broken) });
    const measure = async (name: string, labels = {}): Promise<number> =>
      sumOf(parse((await service.anyone().get('/metrics')).body).samples, `itemwright_${name}`, labels);
    const ran = async (outcome: 'runs' | 'failures'): Promise<void> => {
      const count = (): Promise<number> => measure(`chore_${outcome}_total`, { chore: 'drafts' });
      for (const before = await count(); (await count()) < before + 2; ) await delay(50);
    };
    try {
      const nowMs = Date.now();
      service.setClock(nowMs);
      const { body: draft } = await service.post('/catalog/drafts', {
        name: 'Winter',
        changes: [{ kind: 'item', id: 'axe', after: { id: 'axe', name: 'Axe' } }],
      });
      const at = new Date(nowMs + 60_000).toISOString();
      assert.equal((await service.post(`/catalog/drafts/${draft.id}/publish`, { at })).status, 200);
      await ran('runs');
      assert.equal(await measure('draft_lateness_seconds'), 0);
      const age = await measure('chore_age_seconds', { chore: 'drafts' });
      const other = await measure('chore_age_seconds', { chore: 'evidence' });
      assert.ok(age < other, 'it is counted from the last run, or from the start');

      broken = service.teamId;
      service.setClock(nowMs + 100_000);
      assert.equal(await measure('draft_lateness_seconds'), 40);
      await ran('failures');
      assert.equal(await measure('draft_lateness_seconds'), 40);
      assert.equal((await service.get('/catalog/drafts')).body.length, 1);
      broken = undefined;
      while ((await service.get('/catalog/drafts')).body.length > 0) await delay(50);
      await ran('runs');
      assert.equal(await measure('draft_lateness_seconds'), 0);
    } finally {
      await service.stop();
      await empty.drop();
    }
  });
});

describe('the documentation of metrics', () => {
  const METRIC = /\b(?:itemwright|process|nodejs)_\w+/g;
  const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');
  const namesIn = (text: string): Set<string> => new Set([...text.matchAll(METRIC)].map(([name]) => familyOf(name)));

  test('lists exactly the existing metrics', async () => {
    const empty = await createEmptyDatabase('sqlite');
    const service = await startService(empty.url, { METRICS: 'on' });
    const { types } = parse((await service.anyone().get('/metrics')).body);
    await service.stop();
    await empty.drop();
    const [dashboard, alerts, guide] = await Promise.all(
      ['monitoring/grafana-dashboard.json', 'monitoring/alerts.yml', 'monitoring.md'].map((file) =>
        readFile(join(DOCS, file), 'utf8'),
      ),
    );
    JSON.parse(dashboard as string);
    const existing = new Set([...types.keys()].map(familyOf));
    for (const text of [dashboard, alerts, guide] as string[])
      assert.deepEqual(
        [...namesIn(text)].filter((name) => !existing.has(name) && !/^(process|nodejs)_$/.test(name)),
        [],
      );
    const ours = [...existing].filter((name) => name.startsWith('itemwright_'));
    assert.ok(ours.length >= 12);
    for (const [what, text] of [
      ['the guide', guide],
      ['the dashboard', dashboard],
    ] as const)
      assert.deepEqual(
        ours.filter((name) => !namesIn(text as string).has(name)),
        [],
        `${what} has all of them`,
      );
  });
});
