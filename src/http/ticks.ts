import { executionAsyncResource } from 'node:async_hooks';

const kept: object[] = [];

/**
 * Keeps one of the objects that Node creates for `process.nextTick`, of which a request takes two to seven. If a full
 * garbage collection finds none, V8 forgets what they look like, and creating one takes seven times as long from then on.
 */
export const keepTick = (): void => process.nextTick(() => kept.push(executionAsyncResource()));
