/** The service in its own process, which monitors its event loop: it reports the longest turn since the last report. */
import { setFlagsFromString } from 'node:v8';
import { LIMITS } from '../../src/shared/limits.ts';
import { type Turns, watchTurns } from '../turns.ts';

/** Node takes no more. */
const PATIENCE_MS = 300_000;
setFlagsFromString('--max-semi-space-size=16');
// On a busy machine every operation must still succeed, however long it takes.
Object.assign(LIMITS, { catalogWorkMs: PATIENCE_MS, postgresStatementMs: PATIENCE_MS });
// Loaded now, since some limits become part of statements at once.
const { systemDraws } = await import('../../src/shared/randomness.ts');
const { startService } = await import('../harness.ts');
const service = await startService(process.argv[2] as string, {}, systemDraws(), {
  requestTimeoutMs: PATIENCE_MS,
  computeOptions: { timeLimitMs: PATIENCE_MS },
  databaseOptions: { silenceMs: PATIENCE_MS },
});
const { address, teamId, secret } = service;
/** From the first report on: the loop turns as fast as it can while it is watched. */
let turns: Turns | undefined;

process.on('message', (message) => {
  if (message === 'report') {
    turns ??= watchTurns();
    process.send?.(turns.longest());
  } else service.stop().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit());
process.send?.({ address, teamId, secret });
