/** Writes the conformance suite of verifiers: every proof that the tests of ours check, with what it says about it. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CONFORMANCE_SUITE, type ConformanceCase } from '../test/conformance.ts';

const TESTS = [
  'verify',
  'verify-tampering',
  'verify-unreadable',
  'verify-snapshots',
  'verify-rules',
  'verify-log',
  'kept',
].map((name) => `src/engine/fairness/${name}.test.ts`);
/** Longer ones test limits of our verifier. */
const MOST_LENGTH = 1024 * 1024;

const folder = await mkdtemp(join(tmpdir(), 'itemwright-conformance-'));
try {
  const log = join(folder, 'log.jsonl');
  const environment = { ...process.env, CONFORMANCE_LOG: log };
  const output = ['ignore', 'ignore', 'inherit'] as const;
  // One after the other, so that the order is always the same.
  for (const file of TESTS) execFileSync(process.execPath, ['--test', file], { env: environment, stdio: [...output] });
  const cases = new Map<string, string>();
  for (const line of (await readFile(log, 'utf8')).trimEnd().split('\n')) {
    const { files, kept } = JSON.parse(line) as ConformanceCase;
    if (line.length <= MOST_LENGTH) cases.set(JSON.stringify([files, kept]), line);
  }
  await writeFile(CONFORMANCE_SUITE, gzipSync(`${[...cases.values()].join('\n')}\n`, { level: 9 }));
  process.stderr.write(`${cases.size} cases\n`);
} finally {
  await rm(folder, { recursive: true });
}
