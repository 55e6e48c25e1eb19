import { LIMITS } from '../../shared/limits.ts';
import type { Purpose } from '../observer.ts';
import type { Client } from './client.ts';
import type { Connector } from './connect.ts';
import { createPool, type Pool } from './pool.ts';

/** How connections are divided: each purpose has its own, so that none has to wait for another. */
const SHARES: Record<Purpose, number> = { group: 3, apart: 2, transaction: 2, read: 4, urgent: 1 };
const onlyReads = (purpose: Purpose): boolean => purpose === 'read' || purpose === 'urgent';
const PURPOSES = Object.keys(SHARES) as Purpose[];

/**
 * Assigns connections one by one to the purpose furthest below its share. Every purpose gets one before any gets a
 * second.
 */
export const sizesOf = (connections: number): Record<Purpose, number> => {
  const sizes: Record<Purpose, number> = { group: 0, apart: 0, transaction: 0, read: 0, urgent: 0 };
  for (let given = 0; given < connections; given += 1) {
    const [neediest] = PURPOSES.toSorted((a, b) => sizes[a] / SHARES[a] - sizes[b] / SHARES[b]);
    sizes[neediest as Purpose] += 1;
  }
  return sizes;
};

export interface Pools {
  readonly sizes: Readonly<Record<Purpose, number>>;
  take(purpose: Purpose): Promise<Client>;
  give(purpose: Purpose, client: Client): void;
  close(): Promise<void>;
}

/**
 * The connections of one process. If one turns out to be dead, or its server no longer accepts writes, the others may
 * be affected as well: all are replaced.
 */
export const createPools = (
  { servers, connect }: Connector,
  { connections, silenceMs }: { connections: number; silenceMs: number },
): Pools => {
  /** Whether the server was last found to be read-only. Reads may continue. */
  let isReadOnly = false;

  const renew = (): void => {
    for (const pool of Object.values(pools)) pool.renew();
  };
  const setReadOnly = (readOnly: boolean): void => {
    if (readOnly === isReadOnly) return;
    isReadOnly = readOnly;
    renew();
  };

  const open = async (purpose: Purpose): Promise<Client> => {
    // A session keeps the setting that it was opened with: one that was opened while the server was read-only would
    // reject the first write after that.
    const mustAcceptWrites = !onlyReads(purpose);
    const client = await connect({ mustAcceptWrites });
    if (mustAcceptWrites || servers > 1) setReadOnly(false);
    return client;
  };

  const checkMs = Math.min(LIMITS.postgresCheckMs, silenceMs);
  const sizes = sizesOf(connections);
  const poolFor = (purpose: Purpose): Pool =>
    createPool({
      size: sizes[purpose],
      silentChecks: Math.ceil(silenceMs / checkMs),
      connect: () => open(purpose),
      // While the server is read-only each attempt uses a new connection, so that the first one that can succeed does.
      canReuse: (client) => !client.metReadOnly && (onlyReads(purpose) || !isReadOnly),
      onSilence: renew,
    });
  const pools: Record<Purpose, Pool> = {
    group: poolFor('group'),
    apart: poolFor('apart'),
    transaction: poolFor('transaction'),
    read: poolFor('read'),
    urgent: poolFor('urgent'),
  };

  const timer = setInterval(() => {
    for (const pool of Object.values(pools)) pool.check();
  }, checkMs);
  timer.unref();

  return {
    sizes,
    take: (purpose) => pools[purpose].take(),
    give: (purpose, client) => {
      if (client.metReadOnly && !onlyReads(purpose)) setReadOnly(true);
      pools[purpose].give(client);
    },
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
      clearInterval(timer);
    },
  };
};
