import { LIMITS } from '../../src/limits.ts';

/** The service as `npm start` runs it, but that its write-ahead log is copied into the file and begun anew all the time. */
Object.assign(LIMITS, { sqliteCheckpointPages: 120 });
await import('../../src/main.ts');
