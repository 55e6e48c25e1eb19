/**
 * The service in its own process, which monitors its event loop: on request it starts monitoring, and then reports the
 * longest turn. A turn is measured in CPU time, which does not depend on what else the machine does.
 */
import { setFlagsFromString } from 'node:v8';
import { startService } from '../harness.ts';

setFlagsFromString('--max-semi-space-size=16');
const service = await startService(process.argv[2] as string);
const { address, teamId, secret } = service;

let longestMs = 0;
let isWatching = false;

const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const watch = (beforeMs: number): void => {
  if (!isWatching) return;
  const nowMs = usedMs();
  longestMs = Math.max(longestMs, nowMs - beforeMs);
  setImmediate(watch, nowMs);
};

process.on('message', (message) => {
  if (message === 'watch') {
    longestMs = 0;
    isWatching = true;
    setImmediate(watch, usedMs());
    process.send?.('watching');
  } else if (message === 'report') {
    isWatching = false;
    process.send?.({ longestMs });
  } else {
    service.stop().then(() => process.exit(0));
  }
});
process.send?.({ address, teamId, secret });
