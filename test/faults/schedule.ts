import type { Engine } from '../harness.ts';
import { cheapDraws } from '../statistics.ts';

/** What befalls a service, and how often compared with the others. */
const KINDS = {
  sqlite: { kill: 3, stop: 2, clock: 2, lock: 3 },
  postgres: {
    ...{ kill: 3, stop: 2, clock: 2, cancel: 2, terminate: 2, rows: 3, advisory: 2 },
    // The last takes as long as it takes to notice that a connection is dead.
    ...{ cut: 2, lostCommit: 3, crash: 2, readOnly: 2, silence: 2, deadSilence: 0.5 },
  },
} as const;
export type Kind = keyof typeof KINDS.sqlite | keyof typeof KINDS.postgres | 'failover';

/** For how long each lasts, at least and at most; the others take as long as they take. */
const LASTS_MS: Partial<Record<Kind, readonly [number, number]>> = {
  lock: [200, 7000],
  ...{ cancel: [200, 2000], terminate: [200, 2000], lostCommit: [50, 500], rows: [200, 5000], advisory: [200, 5000] },
  ...{ crash: [0, 1500], readOnly: [200, 3000], silence: [300, 3000], deadSilence: [300, 3000], failover: [0, 1500] },
};

export interface Fault {
  readonly kind: Kind;
  readonly afterAnswers: number;
  readonly delayMs: number;
  readonly lastsMs: number;
  readonly moreAnswers: number;
  /** Chooses among what it may befall: nodes, tables, jumps of the clock. */
  readonly choose: (below: number) => number;
  /** Whether the whole database is checked afterwards. */
  readonly isChecked: boolean;
}

/** All of the history is looked at after each fault, so a new database begins before it is too long. */
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
 * All that befalls one database, by its seed. A server fails over at most once, since there is but one standby, and on
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
      afterAnswers: 20 + below(200),
      delayMs: below(15),
      lastsMs: least + below(most - least + 1),
      moreAnswers: 10 + below(60),
      choose: (bound) => Math.floor(choices() * bound),
      isChecked: below(5) === 0,
    };
  });
};
