import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { VERSION } from '../src/shared/program.ts';
import { refusalOf, release, versionsIn } from '../tools/changelog.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the version', () => {
  test('is the same everywhere', () => {
    const { version, packages } = JSON.parse(read('package-lock.json'));
    assert.deepEqual(
      [
        ...[version, packages[''].version, JSON.parse(read('packages/client/package.json')).version],
        /VERSION = '(.*)'/.exec(read('packages/client/src/version.ts'))?.[1],
      ],
      [VERSION, VERSION, VERSION, VERSION],
    );
    assert.equal(JSON.parse(read('openapi.json')).info['x-itemwright-version'], VERSION);
    assert.equal(versionsIn(read('CHANGELOG.md'))[0], VERSION);
  });

  test('has databases, and so has every release', () => {
    for (const version of versionsIn(read('CHANGELOG.md')))
      for (const file of ['sqlite.db.gz', 'sqlite.json.gz', 'postgres.sql.gz', 'postgres.json.gz'])
        assert.ok(existsSync(join(ROOT, 'test/fixtures/releases', version, file)), `${version}/${file}`);
  });
});

test('the license is Apache-2.0, in full, and part of all packages', () => {
  const text = read('LICENSE');
  // Of https://www.apache.org/licenses/LICENSE-2.0.txt
  assert.equal(
    createHash('sha256').update(text).digest('hex'),
    'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30',
  );
  for (const client of ['client', 'csharp']) assert.equal(read(`packages/${client}/LICENSE`), text);
  const clients = ['packages/client/package.json', 'packages/csharp/package.json'];
  for (const file of ['package.json', ...clients, 'tools/clone/package.json'])
    assert.equal(JSON.parse(read(file)).license, 'Apache-2.0', file);
  assert.equal(JSON.parse(read('openapi.json')).info.license.identifier, 'Apache-2.0');
});

const HEAD = '# Changelog\n\nNotable changes.\n\n';
const OLD = '## 0.1.0 - 2026-11-16\n\n- The first.\n';
const ENTRIES = '### API\n\n- One.\n- Two.\n';

describe('a changelog', () => {
  test('gets a section for what was not released', () => {
    const after = (old: string): string => `${HEAD}## Unreleased\n\n## 0.2.0 - 2027-01-31\n\n${ENTRIES}${old}`;
    for (const old of ['', `\n${OLD}`]) {
      const released = release(`${HEAD}## Unreleased\n\n${ENTRIES}${old}`, '0.2.0', '2027-01-31');
      assert.equal(released, after(old));
      assert.match(refusalOf(released, '0.3.0', '0.2.0') ?? '', /nothing to release/);
    }
    assert.deepEqual(versionsIn(after(OLD)), ['0.2.0', '0.1.0']);
  });

  test('without entries is not released, nor is a version that is not new', () => {
    const full = `${HEAD}## Unreleased\n\n${ENTRIES}\n${OLD}`;
    for (const version of ['0.1.1', '0.2.0', '0.10.0', '1.0.0'])
      assert.equal(refusalOf(full, version, '0.1.0'), undefined);
    assert.match(refusalOf(full, '0.2.0', '0.10.0') ?? '', /not later/);
    assert.match(refusalOf(full, '0.1.0', '0.0.9') ?? '', /already has a section/);
    assert.match(refusalOf(full, '0.2.0-rc.1', '0.1.0') ?? '', /no prereleases/);
    for (const entries of ['', '\n', '\n### API\n\n'])
      assert.match(refusalOf(`${HEAD}## Unreleased\n${entries}\n${OLD}`, '0.2.0', '0.1.0') ?? '', /nothing to release/);
    assert.throws(() => refusalOf(`${HEAD}${OLD}`, '0.2.0', '0.1.0'), /no section/);
  });
});
