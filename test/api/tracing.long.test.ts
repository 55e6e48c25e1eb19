import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { exportRequest, type Span } from '../../src/http/tracing/otlp.ts';
import { createMigratedDatabase, type EmptyDatabase, ENGINES, type Service, startService } from '../harness.ts';
import { freePort } from '../processes.ts';

interface Received {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  readonly status: { code?: number };
}

const valuesOf = ({ attributes }: Pick<Received, 'attributes'>): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

/** A collector that keeps what it gets. */
const startCollector = async (port = 0) => {
  const spans: Received[] = [];
  const requests: { url?: string; headers: IncomingHttpHeaders; resource: Record<string, string | undefined> }[] = [];
  let status = 200;
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(status).end('{}');
    if (status !== 200) return;
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
      requests.push({ url: request.url, headers: request.headers, resource: valuesOf(resource) });
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: at } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${at}`,
    spans,
    requests,
    respondWith: (code: number) => {
      status = code;
    },
    /** Waits for a span. */
    find: async (isIt: (span: Received) => boolean): Promise<Received> => {
      for (let left = 300; left > 0; left -= 1) {
        const found = spans.find(isIt);
        if (found !== undefined) return found;
        await delay(50);
      }
      assert.fail(`no such span among ${spans.map(({ name }) => name).join(', ')}`);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const traceparent = (flags: string, version = '00', rest = ''): { headers: { traceparent: string } } => ({
  headers: { traceparent: `${version}-${TRACE}-${PARENT}-${flags}${rest}` },
});

for (const engine of ENGINES)
  describe(`traces on ${engine}`, () => {
    let empty: EmptyDatabase;
    let collector: Awaited<ReturnType<typeof startCollector>>;
    let service: Service | undefined;
    afterEach(async () => {
      await service?.stop();
      service = undefined;
    });
    const start = (environment: Record<string, string> = {}, endpoint = collector.url): Promise<Service> =>
      startService(empty.url, { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, ...environment });
    before(async () => {
      empty = await createMigratedDatabase(engine);
      collector = await startCollector();
    });
    after(async () => {
      await collector?.close();
      await empty?.drop();
    });

    test('have a span of each request and of its units of work, and none that names a team', async () => {
      service = await start({
        OTEL_SERVICE_NAME: 'items-of-my-game',
        OTEL_EXPORTER_OTLP_HEADERS: 'X-Api-Key=a%20key, x-other=1',
      });
      assert.equal((await service.post('/items', { id: 'sword', name: 'Sword' }, traceparent('01'))).status, 200);
      await service.get('/items/nothing', traceparent('01'));
      await service.anyone().get('/items');
      await service.anyone().get('/healthz');

      const created = await collector.find(({ name }) => name === 'POST /items');
      assert.deepEqual([created.traceId, created.parentSpanId, created.kind], [TRACE, PARENT, 2]);
      assert.deepEqual(created.status, {});
      const { 'itemwright.request_id': requestId, ...values } = valuesOf(created);
      assert.ok((requestId ?? '').length > 3);
      assert.deepEqual(values, {
        'http.request.method': 'POST',
        'http.route': '/items',
        'http.response.status_code': '200',
      });
      const work = await collector.find(({ parentSpanId }) => parentSpanId === created.spanId);
      assert.match(work.name, /^database (write|transaction)$/);
      assert.equal(work.traceId, TRACE);
      assert.equal(valuesOf(work)['db.system.name'], engine === 'sqlite' ? 'sqlite' : 'postgresql');
      for (const { startTimeUnixNano, endTimeUnixNano } of [created, work]) {
        const [from, to] = [BigInt(startTimeUnixNano), BigInt(endTimeUnixNano)];
        assert.ok(from < to && to - from < 10_000_000_000n);
        assert.ok(Math.abs(Number(from / 1_000_000n) - Date.now()) < 60_000);
      }
      assert.ok(BigInt(created.startTimeUnixNano) <= BigInt(work.startTimeUnixNano));
      assert.ok(BigInt(created.endTimeUnixNano) >= BigInt(work.endTimeUnixNano));

      const missing = await collector.find(({ name }) => name === 'GET /items/:id');
      assert.deepEqual([missing.status, valuesOf(missing)['http.response.status_code']], [{}, '404']);
      const read = await collector.find(({ parentSpanId }) => parentSpanId === missing.spanId);
      assert.deepEqual([read.name, read.status], ['database read', {}]);
      await collector.find(
        (span) => span.name === 'GET /items' && valuesOf(span)['http.response.status_code'] === '401',
      );
      assert.ok(!collector.spans.some(({ name }) => name.includes('healthz')));
      assert.ok(!JSON.stringify(collector.spans).includes(service.teamId));

      const [request] = collector.requests;
      assert.equal(request?.url, '/v1/traces');
      assert.deepEqual([request?.headers['x-api-key'], request?.headers['x-other']], ['a key', '1']);
      assert.equal(request?.resource['service.name'], 'items-of-my-game');
    });

    test('have chores', async () => {
      service = await start();
      const chore = await collector.find(({ name }) => name === 'chore drafts');
      assert.deepEqual([chore.kind, chore.parentSpanId], [1, undefined]);
      await collector.find(({ parentSpanId }) => parentSpanId === chore.spanId);
    });

    test('are those that callers with a secret want, or a share', async () => {
      service = await start({ OTEL_TRACES_SAMPLER_ARG: '0' });
      await service.get('/spaces');
      await service.get('/spaces', traceparent('00'));
      await service.get('/spaces', { headers: { traceparent: 'nonsense' } });
      await service.get('/spaces', traceparent('01', 'ff'));
      await service.get('/spaces', traceparent('01', '00', '-more'));
      await service.get('/attributes', traceparent('01', '01', '-more'));
      await service.anyone().get('/openapi.json', traceparent('01'));
      await service.anyone().get('/spaces', traceparent('01'));
      await collector.find(({ name }) => name === 'GET /attributes');
      assert.deepEqual(
        collector.spans.filter(({ name }) => /spaces|openapi/.test(name)),
        [],
      );
    });

    test('wait for a collector that is away, and keep no request waiting', async () => {
      const port = await freePort();
      service = await start({}, `http://127.0.0.1:${port}`);
      for (let count = 0; count < 50; count += 1) assert.equal((await service.get('/team')).status, 200);
      await delay(2500);
      const later = await startCollector(port);
      later.respondWith(503);
      await delay(2500);
      later.respondWith(200);
      await later.find(({ name }) => name === 'GET /team');
      assert.ok(later.spans.filter(({ name }) => name === 'GET /team').length === 50);
      await later.close();
    });

    test('are sent when the service stops, which does not wait for a collector that says nothing', async () => {
      const first = await start();
      await first.get('/secrets');
      await first.stop();
      assert.ok(collector.spans.some(({ name }) => name === 'GET /secrets'));

      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const second = await start({}, `http://127.0.0.1:${(silent.address() as { port: number }).port}`);
      await second.get('/secrets');
      const startedMs = performance.now();
      await second.stop();
      assert.ok(performance.now() - startedMs < 10_000);
      silent.closeAllConnections();
      silent.close();
    });
  });

describe('the format of traces', () => {
  test('is known only to a service that has a collector', () => {
    const files = globSync('src/**/*.ts').filter((file) => !file.includes('tracing'));
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const loading = lines.filter((line) => /tracing\/\w+\.ts/.test(line) && !line.startsWith('import type'));
    assert.deepEqual(
      loading.map((line) => line.trim().replace(/^const tracing = |\.createTracing.*/g, '')),
      ["settings.tracing && (await import('./http/tracing/tracing.ts'))"],
    );
  });

  test('has times in nanoseconds, whose digits are all there', () => {
    const span = { traceId: 'a', spanId: 'b', parentSpanId: undefined, name: 'n', kind: 2, isFailed: true } as const;
    const spans: Span[] = [
      { ...span, startMs: 0.5, endMs: 1.25, attributes: { text: 't', number: 3, none: undefined } },
    ];
    const { resourceSpans } = JSON.parse(JSON.stringify(exportRequest('s', spans, 1_795_034_000_000)));
    assert.deepEqual(resourceSpans[0].scopeSpans[0].spans, [
      {
        ...{ traceId: 'a', spanId: 'b', name: 'n', kind: 2 },
        startTimeUnixNano: '1795034000000500000',
        endTimeUnixNano: '1795034000001250000',
        attributes: [
          { key: 'text', value: { stringValue: 't' } },
          { key: 'number', value: { intValue: '3' } },
        ],
        status: { code: 2 },
      },
    ]);
  });
});
