import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { parseDatabaseUrl } from './database/open.ts';
import { LIMITS } from './shared/limits.ts';
import { DEFAULT_DATABASE } from './shared/program.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const MIGRATING = ['auto', 'expand', 'off'] as const;
type Migrating = (typeof MIGRATING)[number];

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** The prefix of every path, such as `/api`, or empty. */
  readonly pathPrefix: string;
  readonly databaseUrl: string;
  /** PostgreSQL connections that each process may open. */
  readonly databaseConnections: number;
  /** The team created on the very first start; missing values are generated. */
  readonly firstTeam: { readonly id?: string; readonly secret?: string };
  /** Origins that browsers may call from; `*` for all, empty for none. */
  readonly corsOrigins: '*' | readonly string[];
  readonly logLevel: LogLevel;
  /** What the start does to the schema: all, what nodes of the version before do not notice, or nothing. */
  readonly migrate: Migrating;
  readonly metrics: boolean;
  /** Requests per second and team in this process; infinity for no limit. */
  readonly rateLimit: number;
  /** Requests without a valid secret per second and address in this process; infinity for no limit. */
  readonly rateLimitPublic: number;
  /** Number of processes behind the port. */
  readonly workers: number;
  /** How long to keep serving after being told to stop, so that load balancers can switch to other nodes. */
  readonly stopDelayMs: number;
  /** Addresses and networks of proxies that are trusted to report the client's address. */
  readonly trustedProxies: readonly string[];
  /** How long roll events and the history of item instances are kept; infinity for forever. */
  readonly keepRollEventsDays: number;
  readonly keepHistoryDays: number;
  /** How long events are kept. */
  readonly keepEventsDays: number;
  /** Where traces are sent; undefined if they are not. */
  readonly tracing: TracingSettings | undefined;
}

/** From variables that OpenTelemetry has given their names. */
export interface TracingSettings {
  /** Where spans are posted, as JSON. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of traces to keep where the caller does not say. */
  readonly ratio: number;
}

/** Invalid settings, a line each. */
export class SettingsError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads all settings, and reports all errors at once. An empty variable counts as unset. */
export const readSettings = (environment: Environment): Settings => {
  const errors: string[] = [];
  const given = (name: string): string | undefined => environment[name] || undefined;
  const checked = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, expected: string): T => {
    const text = given(name);
    if (text === undefined) return fallback;
    const value = parse(text);
    if (value === undefined) errors.push(`${name} ${expected}`);
    return value ?? fallback;
  };
  const days = (name: string, fallback = Number.POSITIVE_INFINITY): number =>
    checked(
      name,
      fallback,
      (text) => parseWhole(text, LIMITS.keepDays),
      `must be a whole number of days from 1 to ${LIMITS.keepDays}`,
    );
  const rate = (name: string, fallback: number): number =>
    checked(
      name,
      fallback,
      (text) => (text === 'off' ? Number.POSITIVE_INFINITY : parseWhole(text, LIMITS.rateLimitPerSecond)),
      `must be off or a whole number of requests per second from 1 to ${LIMITS.rateLimitPerSecond}`,
    );
  const teamIdPattern = new RegExp(`^[A-Za-z0-9._-]{1,${LIMITS.idLength}}$`);

  const settings: Settings = {
    host: given('HOST') ?? '127.0.0.1',
    port: checked('PORT', 8080, parsePort, `must be a whole number from 0 to ${LIMITS.port}`),
    pathPrefix: checked(
      'PATH_PREFIX',
      '',
      (text) => (/^(?:\/[A-Za-z0-9._~-]+)+$/.test(text) && !/\/\.{1,2}(?:\/|$)/.test(text) ? text : undefined),
      'must be a path such as /api, without a trailing slash',
    ),
    databaseUrl: checked(
      'DATABASE_URL',
      DEFAULT_DATABASE,
      (text) => (parseDatabaseUrl(text) === undefined ? undefined : text),
      'must be sqlite:PATH or postgres://…',
    ),
    databaseConnections: checked(
      'DATABASE_CONNECTIONS',
      LIMITS.postgresConnections,
      (text) => parseWhole(text, LIMITS.postgresConnectionsMax, LIMITS.postgresConnectionsMin),
      `must be a whole number from ${LIMITS.postgresConnectionsMin} to ${LIMITS.postgresConnectionsMax}`,
    ),
    firstTeam: {
      id: checked<string | undefined>(
        'ITEMWRIGHT_TEAM_ID',
        undefined,
        (text) => (teamIdPattern.test(text) && text !== '.' && text !== '..' ? text : undefined),
        `must be 1 to ${LIMITS.idLength} characters of A-Z a-z 0-9 . _ -`,
      ),
      secret: checked<string | undefined>(
        'ITEMWRIGHT_SECRET',
        undefined,
        (text) => (text.length >= LIMITS.secretMinLength && text.length <= LIMITS.secretMaxLength ? text : undefined),
        `must have ${LIMITS.secretMinLength} to ${LIMITS.secretMaxLength} characters`,
      ),
    },
    corsOrigins: checked(
      'CORS_ORIGINS',
      [],
      parseOrigins,
      'must be * or origins such as https://game.example, separated by commas',
    ),
    logLevel: checked(
      'LOG_LEVEL',
      'info',
      (text) => LOG_LEVELS.find((level) => level === text),
      `must be one of ${LOG_LEVELS.join(', ')}`,
    ),
    migrate: checked(
      'MIGRATE',
      'auto',
      (text) => MIGRATING.find((value) => value === text),
      `must be one of ${MIGRATING.join(', ')}`,
    ),
    metrics: checked('METRICS', false, parseSwitch, 'must be on or off'),
    rateLimit: rate('RATE_LIMIT', Number.POSITIVE_INFINITY),
    rateLimitPublic: rate('RATE_LIMIT_PUBLIC', LIMITS.rateLimitPublicPerSecond),
    workers: checked(
      'WORKERS',
      1,
      (text) => (text === 'auto' ? availableParallelism() : parseWhole(text, LIMITS.workers)),
      `must be auto or a whole number from 1 to ${LIMITS.workers}`,
    ),
    stopDelayMs: checked(
      'STOP_DELAY_MS',
      0,
      (text) => (text === '0' ? 0 : parseWhole(text, LIMITS.stopDelayMs)),
      `must be a whole number of milliseconds from 0 to ${LIMITS.stopDelayMs}`,
    ),
    trustedProxies: checked(
      'TRUST_PROXY',
      [],
      (text) => (text === 'off' ? [] : parseNetworks(text)),
      'must be off or addresses of proxies such as 10.0.0.0/8 or loopback, separated by commas',
    ),
    keepRollEventsDays: days('KEEP_ROLL_EVENTS_DAYS'),
    keepHistoryDays: days('KEEP_HISTORY_DAYS'),
    keepEventsDays: days('KEEP_EVENTS_DAYS', LIMITS.keepEventsDaysByDefault),
    tracing: readTracing(checked, given('OTEL_SERVICE_NAME')),
  };
  const isSqlite = parseDatabaseUrl(settings.databaseUrl)?.engine === 'sqlite';
  if (isSqlite && settings.workers > 1 && given('WORKERS') !== 'auto')
    errors.push('WORKERS must be 1 or auto with SQLite, whose file belongs to one process; use PostgreSQL for more');
  if (errors.length > 0) throw new SettingsError(errors);
  return Object.freeze({ ...settings, workers: isSqlite ? 1 : settings.workers });
};

type Checked = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, expected: string) => T;

/** Reads where traces are sent. Without an endpoint, the other variables are not looked at. */
const readTracing = (checked: Checked, serviceName = 'itemwright'): TracingSettings | undefined => {
  const endpoint = checked<string | undefined>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    undefined,
    (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? `${text.replace(/\/+$/, '')}/v1/traces` : undefined),
    'must be the address of a collector, such as http://127.0.0.1:4318',
  );
  if (endpoint === undefined) return undefined;
  checked(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    undefined,
    (text) => (text === 'http/json' ? text : undefined),
    'must be http/json, the only protocol that is supported',
  );
  return {
    endpoint,
    serviceName,
    headers: checked('OTEL_EXPORTER_OTLP_HEADERS', {}, parseHeaders, 'must be NAME=VALUE, separated by commas'),
    ratio: checked('OTEL_TRACES_SAMPLER_ARG', 1, parseRatio, 'must be a number from 0 to 1'),
  };
};

const parseRatio = (text: string): number | undefined =>
  /^(?:0|1|0?\.\d+|1\.0+)$/.test(text) ? Number(text) : undefined;

/** Values are percent-encoded. */
const parseHeaders = (text: string): Readonly<Record<string, string>> | undefined => {
  try {
    const pairs = text.split(',').map((pair) => {
      const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? [];
      return [name, decodeURIComponent(value.trim())] as const;
    });
    return Object.fromEntries(new Headers(pairs.map(([name, value]) => [name, value])));
  } catch {
    return undefined;
  }
};

const parseSwitch = (text: string): boolean | undefined =>
  text === 'on' || text === 'off' ? text === 'on' : undefined;

/** Parses a whole number from `least` to `most`. */
const parseWhole = (text: string, most: number, least = 1): number | undefined =>
  /^[1-9]\d*$/.test(text) && Number(text) <= most && Number(text) >= least ? Number(text) : undefined;

const parsePort = (text: string): number | undefined =>
  /^\d+$/.test(text) && Number(text) <= LIMITS.port ? Number(text) : undefined;

/** Network names that Fastify knows. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

const isNetwork = (text: string): boolean => {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && (prefix === undefined || Number(prefix) <= (version === 4 ? 32 : 128));
};

const parseNetworks = (text: string): readonly string[] | undefined => {
  const networks = text.split(',').map((network) => network.trim());
  return networks.every((network) => NAMED_NETWORKS.includes(network) || isNetwork(network)) ? networks : undefined;
};

const parseOrigins = (text: string): '*' | readonly string[] | undefined => {
  if (text.trim() === '*') return '*';
  const origins = text.split(',').map((origin) => origin.trim());
  return origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin) ? origins : undefined;
};
