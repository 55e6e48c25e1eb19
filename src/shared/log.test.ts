import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { LIMITS } from './limits.ts';
import { bufferLines } from './log.ts';

const destination = () => {
  const written: string[] = [];
  const flushed: string[] = [];
  return {
    written,
    flushed,
    write: (lines: string) => written.push(lines),
    flush: (done?: () => void) => {
      flushed.push(written.join(''));
      done?.();
    },
    flushSync: () => flushed.push(written.join('')),
  };
};

test('writes lines together after a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const to = destination();
  const output = bufferLines(to);
  output.write('a\n');
  t.mock.timers.tick(LIMITS.bufferedLogMs - 1);
  output.write('b\n');
  assert.deepEqual(to.written, []);
  t.mock.timers.tick(1);
  assert.deepEqual(to.written, ['a\nb\n']);
  output.write('c\n');
  t.mock.timers.tick(LIMITS.bufferedLogMs);
  assert.deepEqual(to.written, ['a\nb\n', 'c\n']);
});

test('writes lines at once when there are many', () => {
  const to = destination();
  const output = bufferLines(to);
  output.write('x'.repeat(LIMITS.bufferedLogLength - 1));
  assert.equal(to.written.length, 0);
  output.write('\n');
  assert.equal(to.written.length, 1);
});

test('writes everything before a flush', () => {
  const to = destination();
  const output = bufferLines(to);
  let isDone = false;
  output.write('a\n');
  output.flush(() => {
    isDone = true;
  });
  output.write('b\n');
  output.flushSync();
  assert.deepEqual(to.flushed, ['a\n', 'a\nb\n']);
  assert.ok(isDone);
});

for (const [ending, code, status] of [
  ['an uncaught error', 'throw new Error("oh")', 1],
  ['an exit', 'process.exit(3)', 3],
  ['an exit after a flush', 'logger.flush(() => process.exit(4))', 4],
  ['nothing left to do', '', 0],
] as const) {
  test(`loses no line on ${ending}`, () => {
    const script = `import { createLogger } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
      const logger = createLogger('info');
      logger.info({ n: 1 }, 'one');
      setTimeout(() => { for (let n = 2; n <= 500; n += 1) logger.info({ n }, 'more'); ${code} }, 10);`;
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(ended.status, status);
    const lines = ended.stdout.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).n),
      Array.from({ length: 500 }, (_, n) => n + 1),
    );
  });
}
