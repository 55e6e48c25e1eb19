/**
 * Measures services in turns with Node's bare HTTP server: slices, rows of results, and whether the services have done
 * what they said.
 */
import assert from 'node:assert/strict';
import { ask, get, type Team } from './fixture.ts';
import { type Measured, measure, type Request } from './load.ts';
import { cpuMs, type Server } from './processes.ts';

export const QUICK = process.argv.includes('--quick');
export const SLICE_S = QUICK ? 0.2 : 0.8;
const BARE_SLICE_S = QUICK ? 0.1 : 0.5;
export const WARM_UP_S = QUICK ? 0.1 : 2;
export const CONNECTIONS = 64;
/** On a busy machine, a slice takes longer: after fewer responses, what happens once per second would count too much. */
const RESPONSES_PER_CONNECTION = QUICK ? 1 : 5;
/** Slices per service, of which the median counts. */
export const TURNS = QUICK ? 1 : 5;

export const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

export interface Job {
  readonly name: string;
  readonly requests: readonly Request[];
  /** Whether each response is a roll, to be found in the statistics. */
  readonly rolls?: boolean;
}

export interface Service extends Server {
  /** Processes whose CPU time is shown apart, each with its children: the service and, on PostgreSQL, the database. */
  readonly pids: readonly number[];
}

/** The part of an instance that both a response and the user's list of instances contain. */
interface Place {
  readonly id: string;
  readonly spacePositionX: number;
  readonly spacePositionY: number;
}

interface Kept {
  readonly id: string;
  readonly itemId: string;
  readonly place: Place | null;
}

/** Responses to a job. */
interface Reported {
  readonly succeeded: number;
  /** Without a successful response; they may or may not have happened. */
  readonly failed: number;
}

/** A team of a measured service, and what that service has reported so far. */
export interface Subject {
  readonly service: Service;
  readonly team: Team;
  /** Rolls before the first measurement. */
  readonly rollsBefore: number;
  readonly reported: Map<Job, Reported>;
  /** What watched users had at first, and what responses have given them since, by user. */
  readonly kept: Map<string, Kept[]>;
  /** Instances that should have been placed. */
  readonly unplaced: string[];
  readonly listeners: Map<Request, (response: string) => void>;
}

const NOTHING: Reported = { succeeded: 0, failed: 0 };

const add = (left: Reported, right: Reported): Reported => ({
  succeeded: left.succeeded + right.succeeded,
  failed: left.failed + right.failed,
});

const record = ({ reported }: Subject, job: Job, more: Reported): void => {
  reported.set(job, add(reported.get(job) ?? NOTHING, more));
};

const totalRolls = async (team: Team): Promise<number> =>
  (await get<{ totalRolls: number }>(team, '/roll-events/stats')).totalRolls;

const instancesOf = async (team: Team, userId: string): Promise<Kept[]> =>
  (
    await get<{ id: string; item: { id: string }; itemInstanceSpace: Place | null }[]>(
      team,
      `/item-instances?userId=${userId}&limit=1000`,
    )
  ).map(({ id, item, itemInstanceSpace }) => ({ id, itemId: item.id, place: itemInstanceSpace }));

interface Given {
  readonly id: string;
  readonly itemId: string;
  readonly itemInstanceSpace: Place | null;
}

interface Rolled {
  readonly itemInstance: Given;
}

/** The instance in the response to a grant, or to one roll that is kept. */
const givenIn = (response: string): Kept => {
  const parsed = JSON.parse(response) as Given | Rolled | { readonly rolls: readonly [Rolled] };
  const result = 'rolls' in parsed ? parsed.rolls[0] : parsed;
  const { id, itemId, itemInstanceSpace } = 'itemInstance' in result ? result.itemInstance : result;
  return { id, itemId, place: itemInstanceSpace };
};

export const subjectOf = async (service: Service, team: Team): Promise<Subject> => {
  const rollsBefore = await totalRolls(team);
  return { service, team, rollsBefore, reported: new Map(), kept: new Map(), unplaced: [], listeners: new Map() };
};

/** Collects what these requests give to a user. */
export const watch = async (
  { team, kept, unplaced, listeners }: Subject,
  userId: string,
  requests: readonly Request[],
) => {
  const instances = await instancesOf(team, userId);
  kept.set(userId, instances);
  for (const request of requests)
    listeners.set(request, (response) => {
      const given = givenIn(response);
      instances.push(given);
      if (given.place === null && request.body?.includes('userSpaceId')) unplaced.push(given.id);
    });
};

export const assertCounted = (counted: number, { succeeded, failed }: Reported, whose: string): void =>
  assert.ok(
    counted >= succeeded && counted <= succeeded + failed,
    `${succeeded} rolls of ${whose} reported, ${counted} counted`,
  );

/**
 * Checks that every roll with a response was counted exactly once, and that users have exactly what the responses said.
 */
export const check = async ({ team, rollsBefore, reported, kept, unplaced }: Subject, whose = ''): Promise<void> => {
  const rolls = [...reported].filter(([job]) => job.rolls).map(([, counts]) => counts);
  const total = rolls.reduce(add, { succeeded: rollsBefore, failed: 0 });
  const counted = await totalRolls(team);
  assertCounted(counted, total, 'everybody');
  print(`  ${whose}${total.succeeded} rolls reported, ${counted} counted`);

  const hasFailures = [...reported.values()].some(({ failed }) => failed > 0);
  const byId = (left: Kept, right: Kept): number => (left.id < right.id ? -1 : 1);
  for (const [user, instances] of kept) {
    const ids = new Set(instances.map(({ id }) => id));
    assert.deepEqual(
      (await instancesOf(team, user)).filter(({ id }) => !hasFailures || ids.has(id)).sort(byId),
      instances.toSorted(byId),
      `listed and reported instances of ${user}`,
    );
  }
  assert.deepEqual(unplaced, []);
  if (kept.size > 0)
    print(`  ${whose}${[...kept.values()].flat().length} instances match the responses; users watched: ${kept.size}`);
};

interface Slice extends Measured {
  /** CPU time per request, of each of the service's processes. */
  readonly cpuUs: readonly number[];
}

/** Measures a slice of the service. Any failed request fails the whole run. */
export const slice = async (subject: Subject, job: Job, connections: number, seconds: number): Promise<Slice> => {
  const { service, team, listeners } = subject;
  const before = service.pids.map(cpuMs);
  const atLeast = RESPONSES_PER_CONNECTION * connections;
  const measured = await measure({ ...team, requests: job.requests, listeners, connections, seconds, atLeast });
  const usedMs = service.pids.map((pid, index) => cpuMs(pid) - (before[index] as number));
  if (measured.failed > 0) {
    print(`  FAILED: ${job.name}, ${connections} connections, of ${service.checkout}: ${measured.failures}`);
    process.exitCode = 1;
  }
  record(subject, job, measured);
  return { ...measured, cpuUs: usedMs.map((ms) => (1000 * ms) / measured.succeeded) };
};

/** The length of a response, so that the bare server sends as much. */
const responseLength = async (subject: Subject, job: Job): Promise<number> => {
  // Not the first request if there are several: its user is watched.
  const [first, { method, path, body } = first] = job.requests as [Request, Request?];
  const response = await ask(subject.team, method, path, body);
  record(subject, job, { succeeded: 1, failed: 0 });
  return Buffer.byteLength(response);
};

export interface Row {
  readonly subject: Subject;
  readonly job: Job;
  readonly connections: number;
  readonly share: number;
  readonly bare: number;
  readonly p50: number;
  readonly p99: number;
  /** Requests per second of each slice. */
  readonly rates: readonly number[];
  /** The median over the slices of CPU time per request, of each of the service's processes. */
  readonly cpuUs: readonly number[];
}

/**
 * Measures slices of the services in turns, between slices of the bare server. A share is the median, over the turns,
 * of a slice's rate divided by the mean of the bare slices around it, so that a temporarily busy machine affects both.
 * Every second turn is in reverse order, so that no service always goes first.
 */
export const inTurns = async (
  bare: Server,
  entries: readonly { readonly subject: Subject; readonly job: Job }[],
  connections = CONNECTIONS,
): Promise<Row[]> => {
  // A single connection has no goal.
  const turns = connections === 1 ? 1 : TURNS;
  const [{ subject, job }] = entries as [(typeof entries)[number]];
  const length = await responseLength(subject, job);
  const bareSlice = async (): Promise<number> => {
    const measured = await measure({
      address: bare.address,
      requests: job.requests.map((request) => ({ ...request, path: `/${length}` })),
      connections,
      seconds: BARE_SLICE_S,
      authorization: subject.team.authorization,
    });
    assert.equal(measured.failed, 0, 'failed requests of the bare server');
    return measured.perSecond;
  };
  const slices: Slice[][] = entries.map(() => []);
  const bareRates = [await bareSlice()];
  for (let turn = 0; turn < turns; turn += 1) {
    const order = [...entries.entries()];
    if (turn % 2 === 1) order.reverse();
    for (const [index, entry] of order)
      slices[index]?.push(await slice(entry.subject, entry.job, connections, SLICE_S));
    bareRates.push(await bareSlice());
  }
  return entries.map((entry, index) => {
    const own = slices[index] as Slice[];
    const bareAround = (turn: number): number => ((bareRates[turn] as number) + (bareRates[turn + 1] as number)) / 2;
    return {
      ...entry,
      connections,
      share: median(own.map(({ perSecond }, turn) => perSecond / bareAround(turn))),
      bare: median(bareRates),
      p50: median(own.map(({ p50 }) => p50)),
      p99: median(own.map(({ p99 }) => p99)),
      rates: own.map(({ perSecond }) => perSecond),
      cpuUs: entry.subject.service.pids.map((_, process) => median(own.map(({ cpuUs }) => cpuUs[process] as number))),
    };
  });
};

/** How many times as fast one was as the other: the median over the turns, in each of which both were measured. */
export const ratioOf = (one: Row, other: Row): number =>
  median(one.rates.map((rate, turn) => rate / (other.rates[turn] as number)));

/** CPU time per request of all processes together, relative to another row. */
export const cpuRatioOf = (one: Row, other: Row): number => {
  const total = ({ cpuUs }: Row): number => cpuUs.reduce((sum, value) => sum + value, 0);
  return total(one) / total(other);
};

const COLUMNS: readonly (readonly [name: string, width: number])[] = [
  ['engine', -8],
  ['job', -24],
  ['conn', 4],
  ['share', 6],
  ['/s', 6],
  ['bare/s', 6],
  ['p50', 5],
  ['p99', 5],
  ['CPU', 10],
  ['MiB', 5],
  ['goal', 0],
];

const showCells = (cells: readonly (string | number)[]): void => {
  const padded = COLUMNS.map(([, width], index) => {
    const text = String(cells[index] ?? '');
    return width < 0 ? text.padEnd(-width) : text.padStart(width);
  });
  print(`| ${padded.join(' | ')}`);
};

export const showHead = (): void => {
  showCells(COLUMNS.map(([name]) => name));
  print(`|${COLUMNS.map(([, width]) => (width > 0 ? `${'-'.repeat(width + 1)}:` : '-'.repeat(2 - width))).join('|')}`);
};

export const showRow = (engine: string, row: Row, { name = row.job.name, goal = '' } = {}): void =>
  showCells([
    engine,
    name,
    row.connections,
    row.share.toFixed(3),
    Math.round(median(row.rates)),
    Math.round(row.bare),
    Math.round(row.p50),
    Math.round(row.p99),
    row.cpuUs.some(Number.isNaN) ? '' : row.cpuUs.map(Math.round).join(' + '),
    Math.round(row.subject.service.memory()),
    goal,
  ]);
