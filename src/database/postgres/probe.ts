import { LIMITS } from '../../shared/limits.ts';
import type { Client } from './client.ts';
import { isDiskFull, UnknownOutcome } from './errors.ts';

/** The server ends whatever takes longer, as nobody waits for it any more: also a commit that waits for a standby. */
const BEGIN = `begin; set local statement_timeout = ${LIMITS.commitMs}`;

/** Needs no table and takes no lock, but a commit that is synced and, if it has to be, replicated. */
const WRITE = "select pg_logical_emit_message(true, 'itemwright', 'readiness')";

/**
 * Needs a megabyte on the disk of the database. The log has its space for some time, also while the tables can no longer
 * grow, so the write above would not tell.
 */
const SPILL = "set local work_mem = '64kB'; select count(*) from generate_series(1, 50000)";

/** Writes without any effect. The pool discards the connection if that fails. */
export const probeWrite = async (client: Client, failure: unknown): Promise<boolean> => {
  const { warnings } = client;
  await client.control(BEGIN);
  if (isDiskFull(failure)) await client.control(SPILL);
  await client.control(WRITE);
  await client.control('commit');
  // The standby did not confirm it in time: see the commit of a session.
  if (client.warnings > warnings) throw new UnknownOutcome(new Error('the server warned about the commit'));
  return true;
};
