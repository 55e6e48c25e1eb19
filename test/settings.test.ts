import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSettings, SettingsError } from '../src/settings.ts';

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.lines;
  }
};

/** What a fault is about. */
const nameIn = (line: string): string => line.split(' ', 1)[0] as string;

describe('settings', () => {
  test('all have defaults', () => {
    assert.deepEqual(readSettings({}), {
      host: '127.0.0.1',
      port: 8080,
      pathPrefix: '',
      databaseUrl: 'sqlite:data/itemwright.db',
      databaseConnections: 24,
      firstTeam: { id: undefined, secret: undefined },
      corsOrigins: [],
      logLevel: 'info',
      migrate: 'auto',
      metrics: false,
      rateLimit: Number.POSITIVE_INFINITY,
      rateLimitPublic: 200,
      workers: 1,
      stopDelayMs: 0,
      trustedProxies: [],
      keepRollEventsDays: Number.POSITIVE_INFINITY,
      keepHistoryDays: Number.POSITIVE_INFINITY,
      tracing: undefined,
      keepEventsDays: 30,
    });
  });

  test('are read from their variables', () => {
    assert.deepEqual(
      readSettings({
        HOST: '::',
        PORT: '0',
        PATH_PREFIX: '/games/api-v1',
        DATABASE_URL: 'postgres://user:word@db.example/items',
        DATABASE_CONNECTIONS: '12',
        ITEMWRIGHT_TEAM_ID: 'My_team-1.x',
        ITEMWRIGHT_SECRET: 'sixteen-letters!',
        CORS_ORIGINS: 'https://game.example, http://localhost:5173',
        LOG_LEVEL: 'silent',
        MIGRATE: 'expand',
        METRICS: 'on',
        RATE_LIMIT: '250',
        RATE_LIMIT_PUBLIC: '40',
        WORKERS: '3',
        STOP_DELAY_MS: '5000',
        TRUST_PROXY: 'loopback, 10.0.0.0/8',
        KEEP_ROLL_EVENTS_DAYS: '90',
        KEEP_HISTORY_DAYS: '36500',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a=b, x-tenant = items',
        OTEL_SERVICE_NAME: 'items',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        KEEP_EVENTS_DAYS: '7',
      }),
      {
        host: '::',
        port: 0,
        pathPrefix: '/games/api-v1',
        databaseUrl: 'postgres://user:word@db.example/items',
        databaseConnections: 12,
        firstTeam: { id: 'My_team-1.x', secret: 'sixteen-letters!' },
        corsOrigins: ['https://game.example', 'http://localhost:5173'],
        logLevel: 'silent',
        migrate: 'expand',
        metrics: true,
        rateLimit: 250,
        rateLimitPublic: 40,
        workers: 3,
        stopDelayMs: 5000,
        trustedProxies: ['loopback', '10.0.0.0/8'],
        keepRollEventsDays: 90,
        keepHistoryDays: 36_500,
        tracing: {
          endpoint: 'https://collector.example/otlp/v1/traces',
          serviceName: 'items',
          headers: { authorization: 'Bearer a=b', 'x-tenant': 'items' },
          ratio: 0.25,
        },
        keepEventsDays: 7,
      },
    );
  });

  test('count as unset when empty', () => {
    const names = [
      'HOST',
      'PORT',
      'DATABASE_URL',
      'DATABASE_CONNECTIONS',
      'ITEMWRIGHT_TEAM_ID',
      'ITEMWRIGHT_SECRET',
      'CORS_ORIGINS',
      'LOG_LEVEL',
      'MIGRATE',
      'METRICS',
      'RATE_LIMIT',
      'RATE_LIMIT_PUBLIC',
      'WORKERS',
      'STOP_DELAY_MS',
      'TRUST_PROXY',
      'KEEP_ROLL_EVENTS_DAYS',
      'KEEP_HISTORY_DAYS',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_TRACES_SAMPLER_ARG',
      'KEEP_EVENTS_DAYS',
    ];
    assert.deepEqual(readSettings(Object.fromEntries(names.map((name) => [name, '']))), readSettings({}));
  });

  test('of traces are looked at only if there is an endpoint', () => {
    const wrong = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'no value',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    };
    assert.equal(readSettings(wrong).tracing, undefined);
    assert.deepEqual(faultsOf({ ...wrong, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }).map(nameIn), [
      ...['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER_ARG'],
    ]);
    for (const endpoint of ['collector:4318', 'ftp://collector', 'http://', 'on'])
      assert.deepEqual(faultsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).map(nameIn), [
        'OTEL_EXPORTER_OTLP_ENDPOINT',
      ]);
    for (const headers of ['a=%', '=b', 'a=b,', 'a b=c', 'a=b%0Ac'])
      assert.deepEqual(
        faultsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_HEADERS: headers }).map(nameIn),
        ['OTEL_EXPORTER_OTLP_HEADERS'],
        headers,
      );
  });

  test('are immutable', () => {
    assert.throws(() => {
      (readSettings({}) as { port: number }).port = 1;
    }, TypeError);
  });

  for (const [name, values] of Object.entries({
    PORT: ['0', '1', '8080', '65535'],
    PATH_PREFIX: ['/api', '/a/b', '/a.b~c_d-e'],
    DATABASE_URL: [
      'sqlite:a.db',
      'sqlite:/var/a.db',
      'sqlite:///var/a.db',
      'postgres://a/b',
      'postgresql://a:b@c:1/d?e=f',
      'postgres://a:b@c:1,d:2,[::1]:3/e',
      'postgres:///a?host=/run/postgresql',
      'postgres:///a?host=b,c&port=1,2',
    ],
    DATABASE_CONNECTIONS: ['5', '24', '1000'],
    ITEMWRIGHT_TEAM_ID: ['a', 'a'.repeat(191), '...'],
    ITEMWRIGHT_SECRET: ['x'.repeat(16), 'x'.repeat(191), 'with:colons:in:it'],
    CORS_ORIGINS: ['*', ' * ', 'https://a.example', 'http://127.0.0.1:3000,https://a.example'],
    LOG_LEVEL: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    MIGRATE: ['auto', 'expand', 'off'],
    METRICS: ['on', 'off'],
    RATE_LIMIT: ['off', '1', '1000000'],
    RATE_LIMIT_PUBLIC: ['off', '1', '1000000'],
    WORKERS: ['1', 'auto'],
    STOP_DELAY_MS: ['0', '1', '600000'],
    TRUST_PROXY: ['off', 'loopback', '10.0.0.1', '10.0.0.0/8,::1', 'fd00::/8', 'uniquelocal, 192.0.2.1/32'],
    KEEP_ROLL_EVENTS_DAYS: ['1', '36500'],
    KEEP_HISTORY_DAYS: ['1', '36500'],
    KEEP_EVENTS_DAYS: ['1', '36500'],
  })) {
    for (const value of values)
      test(`accept ${name}=${value.slice(0, 40)}`, () => assert.deepEqual(faultsOf({ [name]: value }), []));
  }

  describe('reject', () => {
    for (const [name, values] of Object.entries({
      PATH_PREFIX: [
        '/',
        'api',
        '/api/',
        '//api',
        '/a//b',
        '/a b',
        '/..',
        '/a/../b',
        '/.',
        '/%41',
        '/a?b',
        'https://x/api',
      ],
      PORT: ['-1', '65536', '80.5', 'http', ' 80', '1e3', '0x50', '99999'],
      DATABASE_URL: [
        'a.db',
        'mysql://a/b',
        'sqlite:',
        'sqlite::memory:',
        'postgres:a',
        'postgres://[',
        'http://a',
        'postgres://a,/b',
        'postgres://a:1,b:x/c',
        'postgres:///a?host=b,,c',
      ],
      DATABASE_CONNECTIONS: ['0', '4', '1001', '8.5', 'many', '-4'],
      ITEMWRIGHT_TEAM_ID: ['a:b', 'a b', '.', '..', 'ä', 'a'.repeat(192), 'a/b', 'a\n'],
      ITEMWRIGHT_SECRET: ['x'.repeat(15), 'x'.repeat(192)],
      CORS_ORIGINS: [
        'game.example',
        'https://a.example/',
        'https://a.example/path',
        'https://a.example,',
        '*,https://a',
        'null',
      ],
      LOG_LEVEL: ['INFO', 'verbose', '1'],
      MIGRATE: ['on', 'EXPAND', 'contract'],
      METRICS: ['true', '1', 'ON', 'constructor'],
      RATE_LIMIT: ['on', '0', '-1', '1.5', '1000001', '1e3'],
      RATE_LIMIT_PUBLIC: ['on', '0', '-1', '1.5', '1000001', '1e3'],
      WORKERS: ['0', '-1', '1.5', '65', 'many', '2'],
      STOP_DELAY_MS: ['-1', '1.5', '600001', '5s', ' 1', 'off'],
      TRUST_PROXY: ['on', '1', '10.0.0', '10.0.0.0/33', '::/129', 'proxy.example', '10.0.0.1,', '10.0.0.1/a'],
      KEEP_ROLL_EVENTS_DAYS: ['0', '-1', '1.5', '36501', 'ever', '30 days'],
      KEEP_HISTORY_DAYS: ['0', '-1', '1.5', '36501', 'ever', '30 days'],
      KEEP_EVENTS_DAYS: ['0', '-1', 'ever'],
    })) {
      for (const value of values) {
        test(`${name}=${JSON.stringify(value.slice(0, 40))} in one line`, () => {
          const lines = faultsOf({ [name]: value });
          assert.equal(lines.length, 1);
          assert.ok(lines[0]?.startsWith(`${name} must `), lines[0]);
          assert.ok(!lines[0]?.includes('\n'));
          if (name === 'ITEMWRIGHT_SECRET') assert.ok(!lines[0]?.includes(value), 'a secret is never shown');
        });
      }
    }

    test('all invalid ones at once', () => {
      const lines = faultsOf({
        PORT: 'x',
        DATABASE_URL: 'x',
        ITEMWRIGHT_TEAM_ID: ':',
        ITEMWRIGHT_SECRET: 'x',
        CORS_ORIGINS: 'x',
        LOG_LEVEL: 'x',
        MIGRATE: 'x',
        METRICS: 'x',
        RATE_LIMIT: 'x',
        RATE_LIMIT_PUBLIC: 'x',
        WORKERS: 'x',
        STOP_DELAY_MS: 'x',
        TRUST_PROXY: 'x',
        KEEP_ROLL_EVENTS_DAYS: 'x',
        KEEP_HISTORY_DAYS: 'x',
      });
      assert.deepEqual(
        lines.map((line) => line.split(' ', 1)[0]),
        [
          'PORT',
          'DATABASE_URL',
          'ITEMWRIGHT_TEAM_ID',
          'ITEMWRIGHT_SECRET',
          'CORS_ORIGINS',
          'LOG_LEVEL',
          'MIGRATE',
          'METRICS',
          'RATE_LIMIT',
          'RATE_LIMIT_PUBLIC',
          'WORKERS',
          'STOP_DELAY_MS',
          'TRUST_PROXY',
          'KEEP_ROLL_EVENTS_DAYS',
          'KEEP_HISTORY_DAYS',
        ],
      );
    });
  });
});
