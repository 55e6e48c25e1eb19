import { buildPool, type Pool, rollItem } from '../pool/pool.ts';
import { allAtOnce } from '../steps.ts';
import { depthFaults, paySpark, resultsOf, rollSpark, rollTemplate, sparkFault } from '../systems/rolling.ts';
import type { TemplateState } from '../systems/state.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import { bytesOfHex } from './bytes.ts';
import { CONFIG_LIMITS } from './config-shape.ts';
import { verifiableDraws } from './draws.ts';
import { timeMsOf } from './iso-time.ts';
import { plainRow, type ResultRow, type RollReceipt, type SparkReceipt, sparkRow, templateRow } from './receipts.ts';
import { shortened } from './shape.ts';
import type { Found, Machine } from './snapshot-reader.ts';

export type CallReceipt = RollReceipt | SparkReceipt;

/** What a call gives by the rules, the seeds and the state before it. */
export interface Replayed {
  readonly rows: readonly ResultRow[];
  readonly after: TemplateState | null;
  readonly draws: number;
}

/** Both halves of what an epoch draws from. */
export interface Seeds {
  /** In hex. */
  readonly server: string;
  readonly client: string;
}

/** More than any request to the service may list. */
const MAX_FILTER = 1000;

/** Receipts say what was asked for; which members that takes depends on the type. */
const REQUEST_MEMBERS: Readonly<Record<CompiledTemplate['type'], string>> = {
  gacha: 'count',
  card_pack: 'count',
  roguelike: 'count,depth',
  idle: '',
};

const membersOf = (request: object): string => Object.keys(request).sort().join(',');

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** What is wrong with a call, whatever it drew; undefined if nothing is. It also bounds the work of running it again. */
export const requestFault = (receipt: CallReceipt, { template }: Machine): string | undefined => {
  const { before, request } = receipt;
  if (template === null) {
    const isPlain = receipt.kind === 'roll' && ['', 'classifierOptionIds'].includes(membersOf(request));
    if (!isPlain) return 'a plain roll cannot be asked for like this';
    if ((receipt.request.classifierOptionIds?.length ?? 0) > MAX_FILTER) return 'it lists too many options';
    if (before !== null || receipt.after !== null) return 'a plain roll has no counters, but the receipt has some';
    return receipt.results.length === 1 ? undefined : 'a plain roll gives one item, but the receipt does not have one';
  }
  if (before === null || receipt.after === null) return 'the receipt does not say what the counters were';
  if (receipt.kind === 'spark') {
    const fault = sparkFault(template, receipt.request.itemId);
    if (fault === 'no-spark') return 'items cannot be exchanged for points here';
    if (fault === 'not-featured') return `${shortened(receipt.request.itemId)} is not a featured item`;
    return receipt.results.length === 1 ? undefined : 'an exchange gives one item, but the receipt does not have one';
  }
  if (membersOf(request) !== REQUEST_MEMBERS[template.type]) return 'it cannot be asked for like this';
  const { count = 1, depth = 0 } = receipt.request;
  if (count < 1) return 'it asks for nothing';
  // Rates are multiplied once per level.
  if (depth > CONFIG_LIMITS.offerDepth) return `the depth ${depth} is out of range`;
  const [fault] = depthFaults(template, depth);
  if (fault !== undefined) return `the depth ${depth} ${fault.message}`;
  const expected = resultsOf(template, before, { count, nowMs: timeMsOf(receipt.at) ?? 0 });
  const given = receipt.results.length;
  return expected === given ? undefined : `it should give ${plural(expected, 'item')}, but the receipt has ${given}`;
};

/** Pools of plain rolls by their filters. Few are in use, but a hostile proof may have a new one in each receipt. */
const KEPT_POOLS = 8;

export interface Replayer {
  /** Runs a call again whose request has no fault. */
  replay(receipt: CallReceipt, machine: Machine, seeds: Seeds): Found<Replayed>;
}

export const createReplayer = (): Replayer => {
  const pools = new Map<string, Pool>();
  const poolOf = ({ catalog }: Machine, { pool: hash, request }: RollReceipt): Pool => {
    const { classifierOptionIds } = request;
    const key = JSON.stringify([hash, classifierOptionIds]);
    const pool = pools.get(key) ?? allAtOnce(buildPool(catalog, { classifierOptionIds }));
    pools.delete(key);
    pools.set(key, pool);
    if (pools.size > KEPT_POOLS) pools.delete(pools.keys().next().value as string);
    return pool;
  };

  const run = (receipt: CallReceipt, machine: Machine, seeds: Seeds): Found<Replayed> => {
    const { teamId, userId, nonce, before } = receipt;
    const serverSeed = bytesOfHex(seeds.server);
    const { draws, used } = verifiableDraws({ serverSeed, teamId, userId, clientSeed: seeds.client, nonce });
    const { template } = machine;
    if (receipt.kind === 'spark') {
      if (template === null) return { reason: 'it is not possible' };
      const after = paySpark(template, before);
      const item = rollSpark(template, receipt.request.itemId, draws);
      if (after === null || item === undefined) return { reason: 'the points did not suffice for the exchange' };
      return { value: { rows: [sparkRow(item)], after, draws: used() } };
    }
    if (template === null) {
      const item = rollItem(poolOf(machine, receipt), draws);
      if (item === undefined) return { reason: 'no item can be rolled' };
      return { value: { rows: [plainRow(item)], after: null, draws: used() } };
    }
    const { count = 1, depth = 0 } = receipt.request;
    const nowMs = timeMsOf(receipt.at) ?? 0;
    const { results, state } = rollTemplate(template, before, { count, depth, drawsOf: () => draws, nowMs });
    return { value: { rows: results.map(templateRow), after: state, draws: used() } };
  };

  return {
    replay: (receipt, machine, seeds) => {
      try {
        return run(receipt, machine, seeds);
      } catch {
        // The engine stops at what a configuration that was checked cannot lead to.
        return { reason: 'the configuration cannot give anything here' };
      }
    },
  };
};
