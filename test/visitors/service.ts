/**
 * The service in its own process, which measures itself: the turns of its event loop, in CPU time of the main thread,
 * which does not depend on what else the machine does; and its memory.
 */
import { setFlagsFromString } from 'node:v8';
import { startService } from '../harness.ts';
import { watchTurns } from '../turns.ts';

setFlagsFromString('--max-semi-space-size=16');
const [url = '', environment = '{}'] = process.argv.slice(2);
const service = await startService(url, JSON.parse(environment));

const turns = watchTurns();

process.on('message', (message) => {
  if (message === 'report') {
    process.send?.({ ...turns.longest(), rssBytes: process.memoryUsage.rss() });
  } else service.stop().then(() => process.exit(0));
});
const { address, teamId, secret } = service;
process.send?.({ address, teamId, secret });
