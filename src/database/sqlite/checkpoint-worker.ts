import { workerData } from 'node:worker_threads';
import { LIMITS } from '../../shared/limits.ts';
import { openFile } from './driver.ts';

/**
 * First copies all that is there, beside those who write. Then copies what was added meanwhile, which keeps writers out,
 * so that the next one can begin the log anew. Readers of earlier data may prevent that; it is tried again later.
 */
const raw = openFile(workerData as string);
raw.exec('pragma synchronous = normal');
raw.prepare('pragma wal_checkpoint(passive)').get();
raw.exec(`pragma busy_timeout = ${LIMITS.sqliteCheckpointLockMs}`);
raw.prepare('pragma wal_checkpoint(full)').get();
raw.close();
