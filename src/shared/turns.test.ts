import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from './limits.ts';
import { noteConnection, startInTurn, takeTurns } from './turns.ts';

/** Blocks the thread. */
const work = (ms: number): void => {
  for (const startedMs = performance.now(); performance.now() - startedMs < ms; );
};

describe('turns of the event loop', () => {
  test('leave time for short work, whatever long work there is', async () => {
    let isOver = false;
    const long = async (): Promise<void> => {
      while (!isOver) {
        work(1);
        await takeTurns();
      }
    };
    const running = long();
    await delay(50);
    const done: string[] = [];
    for (let number = 0; number < 10; number += 1) startInTurn('visitors', () => done.push('visitor'));
    for (let turns = 0; turns < 100 && done.length < 10; turns += 1) await delay(1);
    assert.equal(done.length, 10);
    isOver = true;
    await running;
  });

  test('are shared by visitors and teams, however many of each wait', async () => {
    const done: string[] = [];
    // This turn has begun, and is used up.
    takeTurns();
    work(20);
    for (let number = 0; number < 20; number += 1) startInTurn('visitors', () => done.push('visitor'));
    for (let number = 0; number < 2; number += 1) startInTurn('teams', () => done.push('team'));
    for (let turns = 0; turns < 100 && done.length < 22; turns += 1) await delay(1);
    assert.equal(done.length, 22);
    assert.ok(done.lastIndexOf('team') <= 5, done.join(' '));
  });

  test('are short while connections are accepted, but not for long', async (t) => {
    // A clock of its own, since a busy machine may take longer for a turn than connections may keep work waiting.
    let nowMs = performance.now();
    t.mock.method(performance, 'now', () => nowMs);
    let turns = 0;
    const workedIn = new Set<number>();
    let done = 0;
    const connect = (): void => {
      noteConnection();
      nowMs += 1;
      turns += 1;
      if (done < 40) setImmediate(connect);
    };
    connect();
    takeTurns();
    nowMs += LIMITS.turnMs;
    for (let number = 0; number < 40; number += 1)
      startInTurn('visitors', () => {
        nowMs += 1;
        done += 1;
        workedIn.add(turns);
      });
    while (done < 40) await new Promise((resolve) => setImmediate(resolve));
    // Ten are done in a turn, and many connections are accepted until the next ones.
    const batches = [...workedIn];
    assert.ok(batches.length >= 4, batches.join(' '));
    for (const [index, turn] of batches.slice(1).entries())
      assert.ok(turn - (batches[index] ?? 0) >= LIMITS.connectMs / 2, batches.join(' '));
  });
});
