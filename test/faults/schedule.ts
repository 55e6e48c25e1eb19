import type { Engine } from '../harness.ts';
import { cheapDraws } from '../statistics.ts';

/** The possible faults, with their relative frequency. */
const KINDS = {
  sqlite: { kill: 3, stop: 2, clock: 2, lock: 3 },
  postgres: {
    ...{ kill: 3, stop: 2, clock: 2, cancel: 2, terminate: 2, rows: 3, advisory: 2 },
    // The last one takes as long as detecting a dead connection.
    ...{ cut: 2, lostCommit: 3, crash: 2, readOnly: 2, silence: 2, deadSilence: 0.5 },
  },
} as const;
export type Kind = keyof typeof KINDS.sqlite | keyof typeof KINDS.postgres | 'failover';

/** Minimum and maximum duration of each; the others take as long as they take. */
const LASTS_MS: Partial<Record<Kind, readonly [number, number]>> = {
  lock: [200, 7000],
  ...{ cancel: [200, 2000], terminate: [200, 2000], lostCommit: [50, 500], rows: [200, 5000], advisory: [200, 5000] },
  ...{ crash: [0, 1500], readOnly: [200, 3000], silence: [300, 3000], deadSilence: [300, 3000], failover: [0, 1500] },
};

export interface Fault {
  readonly kind: Kind;
  readonly afterResponses: number;
  readonly delayMs: number;
  readonly lastsMs: number;
  readonly moreResponses: number;
  /** Chooses among the possible targets: nodes, tables, clock jumps. */
  readonly choose: (below: number) => number;
  /** Whether to check the whole database afterwards. */
  readonly isChecked: boolean;
}

/** The whole history is checked after each fault, so start a new database before it gets too long. */
export const FAULTS_PER_DATABASE = 25;

const pick = (draw: number, weights: Readonly<Partial<Record<Kind, number>>>): Kind => {
  const entries = Object.entries(weights) as [Kind, number][];
  let left = draw * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight] of entries) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'kill';
};

/**
 * The faults of one database, by its seed. A server fails over at most once, since there is only one standby, and on
 * half of the databases not at all.
 */
export const planFaults = (engine: Engine, seed: number): Fault[] => {
  const draws = cheapDraws(seed);
  const below = (bound: number): number => Math.floor(draws() * bound);
  const failsOverAt = below(2 * FAULTS_PER_DATABASE);
  return Array.from({ length: FAULTS_PER_DATABASE }, (_, place) => {
    const drawn = pick(draws(), KINDS[engine]);
    const kind = engine === 'postgres' && place === failsOverAt ? 'failover' : drawn;
    const [least, most] = LASTS_MS[kind] ?? [0, 0];
    const choices = cheapDraws(below(2 ** 31));
    return {
      kind,
      afterResponses: 20 + below(200),
      delayMs: below(15),
      lastsMs: least + below(most - least + 1),
      moreResponses: 10 + below(60),
      choose: (bound) => Math.floor(choices() * bound),
      isChecked: below(5) === 0,
    };
  });
};
