import { LIMITS } from '../../src/shared/limits.ts';

/** The service as `npm start` runs it, except that its write-ahead log is checkpointed and restarted all the time. */
Object.assign(LIMITS, { sqliteCheckpointPages: 120, sqliteCheckpointRestMs: 0 });
await import('../../src/main.ts');
