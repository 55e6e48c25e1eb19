import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { LIMITS } from '../src/shared/limits.ts';

const ROOT = join(import.meta.dirname, '..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const FILES = ['Dockerfile', 'compose.yaml', ...globSync('deploy/**/*.{yaml,service,sh}', { cwd: ROOT })];

const NAMES = /\b[A-Z]+(?:_[A-Z]+)+\b/g;
const SETTINGS = new Set(textOf('src/settings.ts').match(NAMES));

/** Names that something other than the service reads. */
const isOfOthers = (name: string): boolean => /^(?:POSTGRES|NODE|AF)_/.test(name);

const numberIn = (file: string, pattern: RegExp): number => {
  const found = pattern.exec(textOf(file))?.[1];
  assert.ok(found !== undefined, `${pattern} in ${file}`);
  return Number(found);
};

describe('files for deployment', () => {
  for (const file of FILES)
    test(`name only settings that there are: ${file}`, () => {
      const names = textOf(file).match(NAMES) ?? [];
      assert.deepEqual(
        names.filter((name) => !SETTINGS.has(name) && !isOfOthers(name)),
        [],
      );
    });

  test('name images by their version', () => {
    for (const file of FILES) assert.doesNotMatch(textOf(file), /:latest\b|newTag: *"?latest/, file);
  });

  test('give the service the time that it may take to stop', () => {
    const stopS = LIMITS.stopTimeoutMs / 1000;
    const pods = 'deploy/kubernetes/deployment.yaml';
    const delayS = numberIn(pods, /STOP_DELAY_MS\s+value: "(\d+)"/) / 1000;
    assert.ok(numberIn(pods, /terminationGracePeriodSeconds: (\d+)/) > delayS + stopS);
    assert.ok(numberIn('deploy/systemd/itemwright.service', /TimeoutStopSec=(\d+)/) > stopS);
    assert.ok(numberIn('compose.yaml', /stop_grace_period: (\d+)s/) > stopS);
  });
});
