import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createEmptyDatabase } from '../harness.ts';
import { count, createClocks, createNode, type Events } from './nodes.ts';
import type { Scene } from './scene.ts';

/** Blocks all writes, as another process would. */
const holdWriteLock = async (path: string, lastsMs: number): Promise<void> => {
  const other = new DatabaseSync(path, { timeout: 0 });
  try {
    for (let isHeld = false; !isHeld; ) {
      try {
        other.exec('begin immediate');
        isHeld = true;
      } catch (error) {
        assert.match(String(error), /locked/);
        await pause(1);
      }
    }
    await pause(lastsMs);
    other.exec('rollback');
  } finally {
    other.close();
  }
};

export const createSqliteScene = async (): Promise<Scene> => {
  const { url, drop } = await createEmptyDatabase('sqlite');
  const path = url.slice('sqlite:'.length);
  const node = createNode(url, `${path}.clock`);
  const events: Events = {};
  const clocks = createClocks([node], events);
  await clocks.start();
  await node.start();
  return {
    addresses: () => [node.address()],
    databaseUrl: () => url,
    events,
    nowMs: clocks.nowMs,
    clockJumps: clocks.clockJumps,
    pids: () => [node].flatMap((each) => each.pid() ?? []),
    strike: async (fault) => {
      if (fault.kind === 'clock') return clocks.jump(fault);
      if (fault.kind === 'lock') {
        count(events, 'lock waits');
        return holdWriteLock(path, fault.lastsMs);
      }
      assert.ok(fault.kind === 'kill' || fault.kind === 'stop');
      count(events, fault.kind === 'kill' ? 'kills' : 'stops');
      await node[fault.kind]();
      await node.start();
    },
    quiet: async () => {},
    drop: async () => {
      await node.kill();
      await drop();
    },
  };
};
