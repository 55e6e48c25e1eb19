import { EventFeed, type FeedOptions } from './feed.ts';
import { List } from './list.ts';
import { OPERATIONS } from './operations.ts';
import type {
  Answer,
  Call,
  CallOptions,
  ChangeOptions,
  ClientOptions,
  PostOptions,
  ReadOptions,
  WatchOptions,
} from './options.ts';
import type { Client } from './schema.ts';
import { send } from './send.ts';
import { VERSION } from './version.ts';

/** Longer than the service takes at most: for a request, and for a computation or a publication. */
const TIMEOUT_MS = 35_000;
const LONG_TIMEOUT_MS = 150_000;

type AnyOptions = CallOptions & PostOptions & ChangeOptions & Partial<ReadOptions> & WatchOptions;
type Members = Readonly<Record<string, unknown>>;

const base64 = (text: string): string => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));

/** `randomUUID` is not there for pages without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Browsers have their own, and would have to ask a service elsewhere whether they may send another. */
const USER_AGENT: Record<string, string> =
  'document' in globalThis || 'WorkerGlobalScope' in globalThis ? {} : { 'user-agent': `itemwright-client/${VERSION}` };

/** The stack of whoever called a function; empty in browsers that do not tell. */
const stackOf = (called: (...given: unknown[]) => unknown): string => {
  const { captureStackTrace } = Error as { captureStackTrace?: (into: object, called: unknown) => void };
  const into = { stack: '' };
  captureStackTrace?.(into, called);
  return into.stack;
};

/** An empty id, or one that an address leaves out, would reach another path. */
const encodeId = (id: unknown, name: string): string => {
  const text = String(id ?? '');
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} must be an id, not ${JSON.stringify(id)}.`);
  return encodeURIComponent(text);
};

const withoutUndefined = (options: AnyOptions): AnyOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const encodeQuery = (query: Members = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined && one !== null) parameters.append(name, String(one));
  return parameters.size === 0 ? '' : `?${parameters}`;
};

/** What differs between the verbs of the table: the HTTP method, and whether sending a request again is safe. */
const VERBS: Readonly<Record<string, { method?: string; isRepeatable?: boolean }>> = {
  LIST: { method: 'GET' },
  ASK: { method: 'POST' },
  ONCE: { method: 'POST', isRepeatable: false },
};

/** What has an effect gets a key, with which it can be repeated; what replaces or deletes can be repeated anyway. */
const takesKey = (verb: string): boolean => verb === 'POST' || verb === 'PATCH';

/** The method of an operation of the table. */
const methodOf = (name: string, entry: string, client: ClientOptions, authorization: Record<string, string>) => {
  const [verb = '', path = '', input, long] = entry.split(' ');
  const { method = verb, isRepeatable = true } = VERBS[verb] ?? {};
  const parameters: readonly string[] = path.match(/{\w+}/g) ?? [];
  const hasInput = verb === 'LIST' || input !== undefined;

  const start = (ids: readonly unknown[], members: Members | undefined, given: AnyOptions, stack: string) => {
    const options: AnyOptions = { ...client, ...withoutUndefined(given) };
    const isBody = input === '{body}' && members !== undefined;
    const where = path.replace(/{(\w+)}/g, (_, name) => encodeId(ids[parameters.indexOf(`{${name}}`)], name));
    const headers = new Headers({
      accept: options.onProgress === undefined ? 'application/json' : 'application/x-ndjson',
      ...USER_AGENT,
      ...authorization,
    });
    const set = (some: Readonly<Record<string, string>> = {}) => {
      for (const [name, value] of Object.entries(some)) headers.set(name, value);
    };
    set(client.headers);
    set(given.headers);
    const key = takesKey(verb) && (options.idempotencyKey ?? headers.get('idempotency-key') ?? newKey());
    set({
      ...(isBody && { 'content-type': 'application/json' }),
      ...(key !== false && { 'idempotency-key': key }),
      ...(options.ifMatch !== undefined && { 'if-match': options.ifMatch }),
      ...(options.ifNoneMatch !== undefined && { 'if-none-match': options.ifNoneMatch }),
    });
    return send({
      caller: { operation: name, method, path: where, stack },
      hooks: client,
      url: `${client.url.replace(/\/+$/, '')}${where}${isBody ? '' : encodeQuery(members)}`,
      // No credentials of the browser, so that it never asks for a password; and a redirected POST could become a GET.
      init: { method, headers, credentials: 'omit', redirect: 'manual', body: isBody ? JSON.stringify(members) : null },
      fetch: client.fetch ?? globalThis.fetch,
      isRepeatable: isRepeatable && (!takesKey(verb) || key !== false),
      idempotencyKey: key === false ? undefined : key,
      options,
      timeoutMs: options.timeoutMs ?? (long === undefined ? TIMEOUT_MS : LONG_TIMEOUT_MS),
    });
  };

  const call = (...given: unknown[]): List<unknown> | Call<unknown> => {
    const stack = stackOf(call);
    const ids = given.slice(0, parameters.length);
    const rest = given.slice(parameters.length);
    const members = hasInput ? (rest.shift() as Members | undefined) : undefined;
    const options = (rest.shift() ?? {}) as AnyOptions;
    if (verb === 'LIST')
      return new List(
        async (cursor) =>
          (await start(ids, cursor === undefined ? members : { ...members, cursor }, options, stack)) as Answer<
            unknown[]
          >,
      );
    const answer = (async () => start(ids, members, options, stack))();
    const data = answer.then((answered) => answered.data);
    const withResponse = () => {
      // Whoever asks for the response learns of a failure there.
      data.catch(() => {});
      return answer;
    };
    return Object.assign(data, { withResponse });
  };
  return call;
};

/** A client of a service for one team. */
export const createClient = (options: ClientOptions): Client => {
  if (!/^https?:$/.test(new URL(options.url).protocol)) throw new TypeError('url must begin with http:// or https://.');
  const { teamId, secret } = options;
  const authorization: Record<string, string> =
    teamId === undefined ? {} : { authorization: `Basic ${base64(`${teamId}:${secret ?? ''}`)}` };
  const groups = Object.entries(OPERATIONS).map(([noun, operations]) => [
    noun,
    Object.fromEntries(
      Object.entries(operations).map(([name, entry]) => [
        name,
        methodOf(`${noun}.${name}`, entry, options, authorization),
      ]),
    ),
  ]);
  const client: Client = Object.assign(Object.fromEntries(groups), {
    events: (given?: FeedOptions) => new EventFeed(client, given),
  });
  return client;
};
