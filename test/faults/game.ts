import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../src/database/open.ts';
import {
  BANNERS,
  type Caller,
  createCallers,
  FAIR,
  PLAIN,
  prepareCatalog,
  type Request,
  type Sight,
} from '../crash-callers.ts';
import { type ApiResponse, basic } from '../harness.ts';
import { assertInventoriesHold } from '../inventories.ts';
import { type Running, run } from '../processes.ts';

export const TEAM = { id: 'team', secret: 'a-secret-of-the-crash-test' };
/** Twice as long as the service may take for any request. */
const RESPONSE_MS = 60_000;

export interface RunningService {
  readonly address: string;
  readonly running: Running;
}

/** The service as `npm start` runs it, in its own processes, which are killed together. */
export const startApart = async (
  databaseUrl: string,
  environment: Record<string, string> = {},
): Promise<RunningService> => {
  const settings = {
    ...{ PORT: '0', DATABASE_URL: databaseUrl, ITEMWRIGHT_TEAM_ID: TEAM.id, ITEMWRIGHT_SECRET: TEAM.secret },
    ...environment,
  };
  const running = run('src/main.ts', [], settings, { ownGroup: true });
  await running.said('"msg":"listening"');
  return { address: /"address":"([^"]+)"/.exec(running.stdout())?.[1] as string, running };
};

export const kill = ({ child }: Running): void => {
  if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
};

/** A request, which may be sent again. */
interface Sent extends Request {
  readonly requestId: string;
  readonly key: string | undefined;
}

interface Received extends ApiResponse {
  readonly text: string;
}

/** Undefined if the connection broke before the response had arrived completely. */
const trySending = async (address: string, sent: Sent): Promise<Received | undefined> => {
  const { method, path, body, requestId, key } = sent;
  let received: { status: number; headers: Headers; text: string };
  try {
    const response = await fetch(`${address}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        authorization: basic(TEAM.id, TEAM.secret),
        'x-request-id': requestId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    received = { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    assert.notEqual(
      (error as Error).name,
      'TimeoutError',
      `${method} ${path} got no response within ${RESPONSE_MS} ms`,
    );
    return undefined;
  }
  assert.notEqual(received.text, '', `${method} ${path} got an empty response with status ${received.status}`);
  return { ...received, body: JSON.parse(received.text) };
};

const send = async (address: string, sent: Sent): Promise<Received> => {
  const received = await trySending(address, sent);
  assert.ok(received !== undefined, `${sent.method} ${sent.path} got no response`);
  return received;
};

/** How long a node that has recovered may still reject single requests. */
const LATE_MS = 5000;

/** Like `send`, for requests with a key or without an effect: those that are rejected with 503 are sent again. */
const sendUntilServed = async (address: string, sent: Sent, onLate: () => void): Promise<Received> => {
  for (const giveUpAtMs = performance.now() + LATE_MS; ; await pause(100)) {
    const received = await send(address, sent);
    if (received.status !== 503 || performance.now() > giveUpAtMs) return received;
    onLate();
  }
};

/** Creates an unrelated user, and returns when that was by the clock of the service; undefined if it failed. */
export const tryWriting = async (address: string): Promise<number | undefined> => {
  const request = { method: 'POST', path: '/users', body: {}, requestId: 'probe', key: undefined };
  const received = await trySending(address, request);
  return received?.status === 200 ? Date.parse(received.body.createdAt) : undefined;
};

/** Requests of callers without a response, or with a 503: their outcome is not known yet. */
export type CutOff = ReadonlyMap<Caller, Sent>;

/** Whether the last request of a caller, which was cut off, took effect; undefined if that cannot be determined. */
type Found = Map<Caller, boolean | undefined>;

const isReplayed = ({ headers }: Received): boolean => headers.get('idempotency-replayed') === 'true';

const createSight = (address: () => string, onLate: () => void): Sight => {
  const ask = (method: string, path: string, body?: object) => {
    const sent = { method, path, body, requestId: 'sight', key: undefined };
    return method === 'GET' ? sendUntilServed(address(), sent, onLate) : send(address(), sent);
  };
  const succeed = async (method: string, path: string, body?: object): Promise<Received> => {
    const response = await ask(method, path, body);
    assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
    return response;
  };
  return {
    must: async (method, path, body) => (await succeed(method, path, body)).body,
    get: (path) => ask('GET', path),
    list: async (path) => {
      const rows = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const { body, headers }: Received = await succeed('GET', next);
        rows.push(...body);
        next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
      }
      return rows;
    },
  };
};

type Counts = Map<string, Map<string, number>>;
const TEMPLATES = [...BANNERS, FAIR];
const SCOPES = [PLAIN, ...TEMPLATES];
const sum = (counts: Iterable<number>): number => Iterator.from(counts).reduce((total, count) => total + count, 0);
const totalOf = (counts: Counts, scope: string): number => sum(counts.get(scope)?.values() ?? []);
const perScope = (): Map<string, number> => new Map(SCOPES.map((scope) => [scope, 0]));
const countIn = (values: ReadonlyMap<string, number>, scope: string): number => values.get(scope) ?? 0;
const add = (values: Map<string, number>, scope: string, count: number): void =>
  void values.set(scope, countIn(values, scope) + count);
const emptyCounts = (): Counts => new Map(SCOPES.map((scope) => [scope, new Map()]));

/** The statistics for one filter, which must be consistent. */
const readStatistics = async ({ get }: Sight, query: string) => {
  const { body: statistics } = await get(`/roll-events/stats${query}`);
  const { body: rates } = await get(`/roll-events/drop-rates${query}`);
  const { totalRolls, uniqueItems, rollsByDay, rollsByTemplate } = statistics;
  const counts = new Map<string, number>();
  for (const { itemId, dropCount, dropRate } of rates) {
    counts.set(itemId, dropCount);
    assert.equal(dropRate, dropCount / totalRolls);
  }
  const ofDays = sum(rollsByDay.map(({ count }: { count: number }) => count));
  assert.deepEqual([sum(counts.values()), ofDays, counts.size], [totalRolls, totalRolls, uniqueItems], query);
  return { counts, totalRolls, rollsByTemplate };
};

/** The counters of the service, for plain rolls and for each template, all of which must be consistent. */
const readCounts = async (sight: Sight): Promise<Counts> => {
  const all = await readStatistics(sight, '');
  const found = emptyCounts().set(PLAIN, all.counts);
  for (const templateId of TEMPLATES) {
    const { counts, totalRolls, rollsByTemplate } = await readStatistics(sight, `?templateId=${templateId}`);
    assert.equal(all.rollsByTemplate[templateId] ?? 0, totalRolls);
    assert.deepEqual(rollsByTemplate, totalRolls === 0 ? {} : { [templateId]: totalRolls });
    found.set(templateId, counts);
    for (const [itemId, count] of counts) all.counts.set(itemId, (all.counts.get(itemId) ?? 0) - count);
  }
  for (const [itemId, count] of all.counts) assert.ok(count >= 0, `${itemId} by templates more often than at all`);
  return found;
};

const createLedger = () => {
  const seen = emptyCounts();
  const unseen = perScope();
  return {
    rolled: (scope: string, itemId: string) => {
      add(seen.get(scope) as Map<string, number>, itemId, 1);
    },
    rolledUnseen: (scope: string, count: number) => add(unseen, scope, count),
    total: (scope: string): number => totalOf(seen, scope) + countIn(unseen, scope),
    assertCounted: (found: Counts): void => {
      for (const [scope, counts] of seen)
        for (const [itemId, count] of counts)
          assert.ok((found.get(scope)?.get(itemId) ?? 0) >= count, `an acknowledged roll of ${itemId} is not counted`);
    },
  };
};

/** The outcomes of the requests of a game. */
export const newFigures = () => ({
  acknowledged: 0,
  rejected: 0,
  cutOff: 0,
  there: 0,
  notThere: 0,
  repeated: 0,
  replayed: 0,
  late: 0,
  rolls: 0,
});
export type Figures = ReturnType<typeof newFigures>;

/** A fault that happens while everyone sends requests. */
export interface Strike {
  /** How many responses arrive before it starts, and how many milliseconds later it does. */
  readonly afterResponses: number;
  readonly delayMs: number;
  /** Resolves when it is over. */
  readonly strike: () => Promise<void>;
  /** How many responses arrive after it is over; without it everyone continues until cut off. */
  readonly moreResponses?: number;
}

interface GameOptions {
  readonly seed: number;
  /** The nodes of the service. Callers are spread over them; checks use one after another. */
  readonly addresses: () => readonly string[];
  /** The database itself, without a proxy. */
  readonly databaseUrl: () => string;
}

/** All callers with their responses, which are compared with the data. */
export const createGame = ({ seed, addresses, databaseUrl }: GameOptions) => {
  const ledger = createLedger();
  let looks = 0;
  const addressOf = (number: number): string => addresses()[number % addresses().length] as string;
  const figures = newFigures();
  const onLate = (): void => {
    figures.late += 1;
  };
  const sight = createSight(() => {
    looks += 1;
    return addressOf(looks);
  }, onLate);
  const callers = createCallers(sight, ledger, seed);
  let requests = 0;
  /** For each, the last response to a request with a key. */
  const kept = new Map<Caller, { sent: Sent; text: string }>();
  /** Requests that were cut off without effect, and were executed when repeated. */
  let happenedNow: Sent[] = [];

  const recordResponse = (caller: Caller, response: Received): void => {
    caller.handleResponse(response);
    figures[response.status === 200 ? 'acknowledged' : 'rejected'] += 1;
  };

  const nextOf = (caller: Caller): Sent => {
    const request = caller.next();
    requests += 1;
    const isKeyed = request.method === 'POST' && requests % 3 === 0;
    return { ...request, requestId: `request-${requests}`, key: isKeyed ? `key-${requests}` : undefined };
  };

  /** Lets everyone send requests during a fault, and returns the requests that were cut off. */
  const play = async (struck: Strike): Promise<CutOff> => {
    const cutOff = new Map<Caller, Sent>();
    let left = struck.afterResponses;
    let more = struck.moreResponses ?? Number.POSITIVE_INFINITY;
    let isOver = false;
    let striking: Promise<void> | undefined;
    const faults: unknown[] = [];
    const fail = (fault: unknown): void => {
      faults.push(fault);
      more = 0;
    };
    const strike = async (): Promise<void> => {
      // Not exactly when a response arrives, which would always be the same kind of moment.
      await pause(struck.delayMs);
      await struck.strike();
      isOver = true;
    };
    const drive = async (caller: Caller, number: number): Promise<void> => {
      while (more > 0) {
        const sent = nextOf(caller);
        const response = await trySending(addressOf(number), sent);
        // Without its database the service cannot know the outcome of a request either.
        if (response === undefined || response.status === 503) {
          assert.ok(striking !== undefined, `${sent.method} ${sent.path} failed by itself: ${response?.text}`);
          cutOff.set(caller, sent);
          return;
        }
        recordResponse(caller, response);
        if (sent.key !== undefined && response.status === 200) kept.set(caller, { sent, text: response.text });
        left -= 1;
        if (left === 0) {
          striking = strike();
          striking.catch(fail);
        }
        if (isOver) more -= 1;
      }
    };
    // A failed check ends the round for all, but not before the fault is repaired.
    const driven = callers.map((caller, number) => drive(caller, number).catch(fail));
    await Promise.all(driven);
    await striking?.catch(fail);
    if (faults.length > 0) throw faults[0];
    figures.cutOff += cutOff.size;
    return cutOff;
  };

  /** The counters must equal what responses and checks found, plus at most what cannot be determined. */
  const assertCountsFit = (counted: Counts, cutOff: CutOff, isThere: Found): void => {
    const [found, perhaps] = [perScope(), perScope()];
    for (const [caller, { rolls }] of cutOff) {
      if (rolls === undefined || isThere.get(caller) === false) continue;
      add(isThere.get(caller) === true ? found : perhaps, rolls.templateId, rolls.count);
    }
    for (const scope of SCOPES) {
      const total = totalOf(counted, scope);
      const least = ledger.total(scope) + countIn(found, scope);
      const most = least + countIn(perhaps, scope);
      assert.ok(total >= least && total <= most, `${scope || 'plain'}: ${total} rolls, not ${least} to ${most}`);
    }
    ledger.assertCounted(counted);
  };

  /**
   * Sends cut-off requests again with their keys, twice: they take effect unless they already have, and never again.
   */
  const repeat = async (caller: Caller, sent: Sent, wasThere: boolean | undefined): Promise<boolean> => {
    const again = await sendUntilServed(addressOf(requests), sent, onLate);
    const replayed = isReplayed(again);
    if (wasThere !== undefined) assert.equal(replayed, wasThere, `${caller.name}: stored together with its effect`);
    if (again.status === 200) {
      const third = await sendUntilServed(addressOf(requests + 1), sent, onLate);
      assert.deepEqual([third.status, third.text, isReplayed(third)], [200, again.text, true]);
    }
    recordResponse(caller, again);
    figures.repeated += 1;
    if (again.status === 200 && !replayed) happenedNow.push(sent);
    return replayed;
  };

  /** Repeated requests get the same response again. That they have no other effect is checked later. */
  const replay = async (): Promise<void> => {
    for (const [caller, { sent, text }] of kept) {
      const again = await sendUntilServed(addressOf(figures.replayed), sent, onLate);
      assert.deepEqual([again.status, again.text, isReplayed(again)], [200, text, true], `${caller.name}: replayed`);
      figures.replayed += 1;
    }
    kept.clear();
  };

  /** Checks the data after a fault, and completes the requests that were cut off. */
  const settle = async (cutOff: CutOff): Promise<void> => {
    await replay();
    const opened = openDatabase(databaseUrl());
    await assertInventoriesHold({ database: opened }).finally(() => opened.close());
    const isThere: Found = new Map();
    await Promise.all(callers.map(async (caller) => isThere.set(caller, await caller.look(cutOff.get(caller)))));
    const counted = await readCounts(sight);
    assertCountsFit(counted, cutOff, isThere);

    happenedNow = [];
    let unsure = 0;
    for (const [caller, sent] of cutOff) {
      let there = isThere.get(caller);
      if (sent.key !== undefined) there = await repeat(caller, sent, there);
      else if (there === true) caller.accept();
      else if (there === undefined && sent.rolls !== undefined) unsure += 1;
      figures[there === true ? 'there' : 'notThere'] += 1;
    }

    await Promise.all(callers.map((caller) => (cutOff.get(caller)?.key === undefined ? undefined : caller.look())));
    const added = perScope();
    for (const { rolls } of happenedNow) if (rolls !== undefined) add(added, rolls.templateId, rolls.count);
    const recounted = await readCounts(sight);
    for (const scope of SCOPES) {
      const total = totalOf(recounted, scope);
      assert.equal(total - totalOf(counted, scope), countIn(added, scope), 'a repeat is counted once');
      // Only the counter can tell whether a plain roll without a key was made.
      const unseen = total - ledger.total(scope);
      assert.ok(unseen >= 0 && unseen <= (scope === PLAIN ? unsure : 0), `${unseen} rolls that nobody made`);
      ledger.rolledUnseen(scope, unseen);
      figures.there += unseen;
      figures.notThere -= unseen;
    }
    ledger.assertCounted(recounted);
  };

  return {
    prepare: async (): Promise<void> => {
      await prepareCatalog(sight);
      for (const { prepare } of callers) await prepare();
    },
    play,
    settle,
    figures: (): Figures => ({ ...figures, rolls: sum(SCOPES.map((scope) => ledger.total(scope))) }),
  };
};

/** Adds the outcomes of one game to those of others. */
export const addFigures = (total: Figures, figures: Figures): void => {
  for (const name of Object.keys(figures) as (keyof Figures)[]) total[name] += figures[name];
};

export const describeFigures = (figures: Figures): string => {
  const { acknowledged, rejected, cutOff, there, notThere, repeated, replayed, late, rolls } = figures;
  return `${acknowledged} writes acknowledged, all of them found; ${rejected} rejected; ${cutOff} cut off, of which ${there} took effect completely and ${notThere} not at all; ${repeated} repeated with their key; ${replayed} got the same response when repeated; ${late} rejected with 503 after a node had recovered; ${rolls} rolls counted`;
};
