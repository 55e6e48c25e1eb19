import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const HEAD = `import { test } from 'node:test';\n`;

/** Runs test files as `npm test` does, with a server address as if one were running. */
const runFiles = async (...contents: string[]): Promise<{ code: number; output: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-suite-'));
  for (const [index, content] of contents.entries())
    await writeFile(join(folder, `${index}.test.ts`), `${HEAD}${content}`);
  const { NODE_TEST_CONTEXT, ...environment } = process.env;
  try {
    return await new Promise((resolve) => {
      execFile(
        process.execPath,
        ['tools/test.ts', join(folder, '*.test.ts')],
        { cwd: ROOT, env: { ...environment, TEST_POSTGRES_URL: 'postgres://127.0.0.1:1/none' } },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const passing = (name: string) => `test(${JSON.stringify(name)}, () => {});`;

test('a run in which every test passes succeeds', async () => {
  const { code, output } = await runFiles(passing('first'), passing('second'));
  assert.equal(code, 0, output);
  assert.match(output, /✔ first.*✔ second|✔ second.*✔ first/s);
});

test('a run with a failed test fails, and names its file', async () => {
  const { code, output } = await runFiles(passing('first'), `test('second', () => { throw new Error('failed'); });`);
  assert.equal(code, 1, output);
  assert.match(output, /test at \S+1\.test\.ts:2:1/);
});

test('a run with a file that ends its process fails, names it, and runs the other files', async () => {
  const ends = (how: string) => `test('ends', () => { ${how} });\n${passing('never')}`;
  const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const { code, output } = await runFiles(
    ends('process.exit(0);'),
    ...others.map(passing),
    ends('process.reallyExit(0);'),
  );
  assert.equal(code, 1, output);
  assert.match(output, /0\.test\.ts did not run to its end/);
  assert.match(output, /9\.test\.ts did not run to its end/);
  for (const name of others) assert.match(output, new RegExp(`✔ ${name} `));
});

test('a run with a file that cannot be loaded fails, and names it', async () => {
  const { code, output } = await runFiles(passing('first'), `import './missing.ts';`);
  assert.equal(code, 1, output);
  assert.match(output, /1\.test\.ts/);
});

test('a run without any file fails', async () => {
  assert.equal((await runFiles()).code, 1);
});
