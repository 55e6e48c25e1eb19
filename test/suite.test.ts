import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LONG_OPERATIONS } from './together.ts';

const POSTGRES = new URL('postgres.ts', import.meta.url);
const SETUP = fileURLToPath(new URL('global-setup.ts', import.meta.url));

/** Runs a test file as the suite does, with a server address as if one were running, and returns its exit code. */
const runSuite = async (body: string): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-suite-'));
  const file = join(folder, 'one.test.ts');
  await writeFile(
    file,
    `import { test } from 'node:test';\nimport ${JSON.stringify(POSTGRES.href)};\ntest('one', () => { ${body} });\n`,
  );
  const { NODE_TEST_CONTEXT, ...environment } = process.env;
  try {
    return await new Promise((resolve) => {
      execFile(
        process.execPath,
        ['--test', `--test-global-setup=${SETUP}`, file],
        { env: { ...environment, TEST_POSTGRES_URL: 'postgres://127.0.0.1:1/none' } },
        (error) => resolve(error === null ? 0 : Number(error.code)),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

test('a run with a failed test exits with a failure', async () => {
  assert.deepEqual(await Promise.all([runSuite(''), runSuite("throw new Error('failed');")]), [0, 1]);
});

test('the files that run apart from the other operations exist', () => {
  for (const file of LONG_OPERATIONS) assert.ok(existsSync(join(import.meta.dirname, '..', file)), file);
});

test('every test file is where a run finds it', () => {
  const files = globSync('{bench,console,examples,packages,src,test,tools}/**/*.test.{ts,tsx}', {
    cwd: join(import.meta.dirname, '..'),
  });
  const isFound = (file: string) =>
    /^(src\/.+|(packages|examples)\/[^/]+\/test\/[^/]+|test\/(browser\/|interface\/|operations\/)?[^/]+)\.ts$/.test(
      file,
    );
  assert.ok(files.length > 50);
  assert.deepEqual(
    files.filter((file) => !isFound(file)),
    [],
  );
});
