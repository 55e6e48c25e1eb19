import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { afterEach, describe, test } from 'node:test';
import { ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { type Compute, type ComputeOptions, createCompute } from './compute.ts';
import { share } from './shared.ts';

const worker = new URL('../../test/compute-worker.ts', import.meta.url);

describe('compute threads', () => {
  let open: Compute[] = [];
  const computing = (options: Partial<ComputeOptions> = {}): Compute => {
    const compute = createCompute({ threads: 1, timeLimitMs: 30_000, worker, ...options });
    open.push(compute);
    return compute;
  };
  afterEach(async () => {
    await Promise.all(open.map((compute) => compute.close()));
    open = [];
  });

  /** The worker of this test takes different input than the jobs of the service. */
  const run = (compute: Compute, teamId: string, does: string, text = '', signal?: AbortSignal): Promise<unknown> =>
    compute.run(teamId, 'odds', { does, text } as never, signal);
  const isUnavailable = (error: unknown): boolean =>
    error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';

  test('returns the result of a job', async () => {
    assert.equal(await run(computing(), 'a', 'answer', 'forty-two'), 'forty-two');
  });

  test('keep the process alive until their jobs are done, and no longer', () => {
    const script = `
      import { createCompute } from ${JSON.stringify(new URL('./compute.ts', import.meta.url))};
      const compute = createCompute({ worker: new URL(${JSON.stringify(worker)}) });
      console.log(await compute.run('a', 'odds', { does: 'answer', text: 'forty-two' }));
    `;
    const printed = execFileSync(process.execPath, ['--eval', script], { timeout: 30_000 });
    assert.equal(printed.toString(), 'forty-two\n');
  });

  test('rejects when the job throws, and keeps working', async () => {
    const compute = computing();
    await assert.rejects(run(compute, 'a', 'fail', 'no such luck'), /no such luck/);
    assert.equal(await run(compute, 'a', 'answer', 'still here'), 'still here');
  });

  test('replaces threads that exit or throw', async () => {
    const compute = computing();
    await assert.rejects(run(compute, 'a', 'end'), /code 3/);
    await assert.rejects(run(compute, 'a', 'throw'), /thrown outside/);
    assert.equal(await run(compute, 'a', 'answer', 'still here'), 'still here');
  });

  test('rejects a job that takes too long with 503, and keeps working', async () => {
    const compute = computing({ timeLimitMs: 1500 });
    await assert.rejects(run(compute, 'a', 'work for ever'), isUnavailable);
    assert.equal(await run(compute, 'a', 'answer', 'still here'), 'still here');
  });

  test('tells the caller of a job how far it is, and nobody else', async () => {
    const compute = computing();
    const told: [string, number][] = [];
    const watched = (does: string, text: string) =>
      compute.run('a', 'odds', { does, text } as never, undefined, (progress) => told.push([text, progress]));
    assert.deepEqual(await Promise.all([watched('go on', 'first'), watched('answer', 'second')]), ['first', 'second']);
    assert.deepEqual(told, [
      ['first', 0],
      ['second', 0],
      ['first', 0.5],
      ['first', 1],
    ]);
  });

  test('cancels a running or waiting job when its caller leaves', async () => {
    const compute = computing();
    const [first, second] = [new AbortController(), new AbortController()];
    const running = run(compute, 'a', 'work for ever', '', first.signal);
    const waiting = run(compute, 'a', 'work for ever', '', second.signal);
    second.abort();
    await assert.rejects(waiting, isUnavailable);
    const next = run(compute, 'b', 'answer', 'next');
    first.abort();
    await assert.rejects(running, isUnavailable);
    assert.equal(await next, 'next');
  });

  test('serves teams in turn, however many jobs one of them has', async () => {
    const compute = computing();
    const first = new AbortController();
    const order: unknown[] = [];
    const note = (promise: Promise<unknown>) => promise.then((value) => order.push(value));
    const running = run(compute, 'a', 'work for ever', '', first.signal);
    const all = [
      note(run(compute, 'a', 'answer', 'a1')),
      note(run(compute, 'a', 'answer', 'a2')),
      note(run(compute, 'a', 'answer', 'a3')),
      note(run(compute, 'b', 'answer', 'b1')),
    ];
    first.abort();
    await assert.rejects(running);
    await Promise.all(all);
    assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
  });

  test('serves teams in turn, however many kinds of jobs one of them has', async () => {
    const compute = computing();
    const first = new AbortController();
    const order: unknown[] = [];
    const note = async (teamId: string, kind: 'odds' | 'plan' | 'record', text: string) =>
      order.push(await compute.run(teamId, kind, { does: 'answer', text } as never));
    const running = run(compute, 'a', 'work for ever', '', first.signal);
    const all = [
      note('a', 'odds', 'a1'),
      note('a', 'odds', 'a2'),
      note('a', 'plan', 'a plan'),
      note('a', 'record', 'a note'),
      note('b', 'odds', 'b1'),
      note('b', 'odds', 'b2'),
    ];
    first.abort();
    await assert.rejects(running);
    await Promise.all(all);
    assert.deepEqual(order, ['a1', 'b1', 'a plan', 'b2', 'a note', 'a2']);
  });

  test('leaves places to other teams, however many jobs one of them has', async () => {
    const compute = computing({ places: 9, placesPerKind: 9 });
    const left = new AbortController();
    const jobs: Promise<unknown>[] = [];
    const acceptedOf = (teamId: string): number => {
      let accepted = 0;
      for (let job = 0; job < 9; job += 1)
        jobs.push(
          compute.run(teamId, 'odds', { does: 'work for ever', text: '' } as never, left.signal, () => {
            accepted += 1;
          }),
        );
      return accepted;
    };
    assert.deepEqual(['a', 'b', 'c'].map(acceptedOf), [5, 2, 1]);
    left.abort();
    for (const job of jobs) await assert.rejects(job, isUnavailable);
  });

  test('prepares the input of a job when its turn has come, and goes on if that fails', async () => {
    const compute = computing();
    const first = new AbortController();
    const running = run(compute, 'a', 'work for ever', '', first.signal);
    let prepared = 0;
    const prepare = async (): Promise<never> => {
      prepared += 1;
      if (prepared === 1) throw new Error('not prepared');
      return { does: 'answer', text: 'prepared' } as never;
    };
    const [failing, working] = [compute.run('a', 'odds', prepare), compute.run('a', 'odds', prepare)];
    assert.equal(prepared, 0);
    first.abort();
    await assert.rejects(running);
    await assert.rejects(failing, /not prepared/);
    assert.equal(await working, 'prepared');
  });

  test('rejects too many jobs of one team with 429, and of all teams with 503', async () => {
    const compute = computing();
    const left = new AbortController();
    const jobs = Array.from({ length: LIMITS.computeJobsPerTeam }, () =>
      run(compute, 'a', 'work for ever', '', left.signal),
    );
    await assert.rejects(run(compute, 'a', 'answer'), { code: 'TOO_MANY_REQUESTS' });
    for (let job = jobs.length; job < LIMITS.computeJobs; job += 1)
      jobs.push(run(compute, `team-${job}`, 'work for ever', '', left.signal));
    await assert.rejects(run(compute, 'one more', 'answer'), isUnavailable);
    left.abort();
    assert.equal((await Promise.allSettled(jobs)).filter(({ status }) => status === 'rejected').length, jobs.length);
    assert.equal(await run(compute, 'a', 'answer', 'again'), 'again');
  });

  test('closes at once, whatever is running', async () => {
    const compute = computing();
    const jobs = ['a', 'b'].map((team) => assert.rejects(run(compute, team, 'work for ever'), isUnavailable));
    await compute.close();
    await Promise.all(jobs);
    await assert.rejects(run(compute, 'a', 'answer'), isUnavailable);
  });
});

describe('shared work', () => {
  test('is done once, and cancelled when every waiter has left', async () => {
    const signals: AbortSignal[] = [];
    const gates: PromiseWithResolvers<string>[] = [];
    const shared = share((signal) => {
      signals.push(signal);
      const gate = Promise.withResolvers<string>();
      gates.push(gate);
      signal.addEventListener('abort', () => gate.reject(new Error('given up')));
      return gate.promise;
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [assert.rejects(shared(first.signal)), assert.rejects(shared(second.signal))];
    assert.equal(signals.length, 1);
    first.abort();
    await both[0];
    assert.equal(signals[0]?.aborted, false);
    second.abort();
    await both[1];
    assert.equal(signals[0]?.aborted, true);

    const again = shared();
    gates[1]?.resolve('done');
    assert.equal(await again, 'done');
    assert.equal(await shared(), 'done');
    assert.equal(signals.length, 2);
  });
});
