import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTeamTurns, serveTeams } from './team-turns.ts';

const RESTS = { factor: 20, leastMs: 500, retryMs: 10_000 };

/** Turns by a clock that only work moves on. */
const createScene = (rests = RESTS) => {
  let nowMs = 0;
  const turns = createTeamTurns(rests, () => nowMs);
  const left = new Map<string, number>();
  const served: string[] = [];
  return {
    left,
    served,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Serves whoever has something left, each part of which takes a second; whoever has NaN left fails. */
    serve: (parts = Number.POSITIVE_INFINITY) => {
      const end = served.length + parts;
      return serveTeams({
        turns,
        find: async () => [...left].filter(([, count]) => count !== 0).map(([teamId]) => teamId),
        serve: async (teamId) => {
          served.push(teamId);
          nowMs += 1000;
          const count = left.get(teamId) as number;
          if (Number.isNaN(count)) throw new Error(`${teamId} fails`);
          left.set(teamId, count - 1);
          return count > 1;
        },
        shouldContinue: () => served.length < end,
      });
    },
  };
};

describe('work for teams beside requests', () => {
  test('is done in turn, a part for each team', async () => {
    const { left, served, serve } = createScene();
    left.set('large', 42).set('small', 1).set('other', 2);
    await serve();
    assert.deepEqual(served.slice(0, 6), ['large', 'small', 'other', 'large', 'other', 'large']);
    assert.equal(served.length, 45);
  });

  test('begins with whoever comes next, not with whoever has waited least', async () => {
    const { left, served, serve } = createScene();
    left.set('large', 42);
    await serve(3);
    left.set('small', 1);
    await serve(2);
    assert.deepEqual(served, ['large', 'large', 'large', 'small', 'large']);
  });

  test('rests for the team that it was done for, and for no other', async () => {
    const { left, served, serve, pass } = createScene();
    left.set('large', 10);
    await serve();
    left.set('large', 1).set('small', 1);
    await serve();
    assert.deepEqual(served.slice(10), ['small'], 'ten seconds of work make a rest of two hundred');
    pass(200_000);
    await serve();
    assert.deepEqual(served.slice(10), ['small', 'large']);
  });

  test('does not rest if it must not', async () => {
    const { left, served, serve } = createScene({ factor: 0, leastMs: 0, retryMs: 1000 });
    for (let run = 0; run < 3; run += 1) {
      left.set('large', 3);
      await serve();
    }
    assert.equal(served.length, 9);
  });

  test('goes on for others if it fails for one, which is tried again later', async () => {
    const { left, served, serve, pass } = createScene();
    left.set('broken', Number.NaN).set('sound', 2);
    await assert.rejects(serve(), /broken fails/);
    assert.deepEqual(served, ['broken', 'sound', 'sound']);
    await serve();
    assert.equal(served.length, 3);
    pass(10_000);
    await assert.rejects(serve(), /broken fails/);
    assert.deepEqual(served.slice(3), ['broken']);
  });

  test('of several at once is never two parts for one team', async () => {
    const turns = createTeamTurns({ factor: 0, leastMs: 0, retryMs: 0 });
    const left = new Map([
      ['a', 5],
      ['b', 2],
    ]);
    const busy = new Set<string>();
    let most = 0;
    const serving = {
      turns,
      find: async () => [...left].filter(([, count]) => count > 0).map(([teamId]) => teamId),
      serve: async (teamId: string) => {
        assert.ok(!busy.has(teamId));
        busy.add(teamId);
        most = Math.max(most, busy.size);
        await new Promise((resolve) => setTimeout(resolve, 2));
        busy.delete(teamId);
        left.set(teamId, (left.get(teamId) as number) - 1);
        return true;
      },
      shouldContinue: () => true,
    };
    await Promise.all([1, 2, 3].map(() => serveTeams(serving)));
    assert.equal(most, 2);
    assert.deepEqual([...left.values()], [0, 0]);
  });
});
