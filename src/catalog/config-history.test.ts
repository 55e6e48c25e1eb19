import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConfigSnapshot } from '../engine/fairness/snapshots.ts';
import { digestOf } from '../shared/digest.ts';
import { LIMITS } from '../shared/limits.ts';
import { type SharedText, shareText } from '../shared/shared-text.ts';
import { type ConfigsToRecord, configsToRecord, type RecordedConfig, type RecordingInput } from './config-history.ts';
import type { EntityChunk, RecordedChange } from './state.ts';

const option = (id: string) => ({ id, name: id, dropRateMultiplier: null });
const classifier = (...ids: string[]) => ({ id: 'rarity', name: 'Rarity', classifierOptions: ids.map(option) });
const item = (id: string, optionId: string, name = id) => ({
  ...{ id, name, thumbnail: null, rollNumerator: 100, width: 1, height: 1 },
  ...{ classifierOptionIds: [optionId], itemAttributes: [] },
});
const template = (id: string, optionId: string, rate = 1) => ({
  ...{ id, name: id, type: 'gacha', config: { baseRates: { [optionId]: rate } }, bindings: { [optionId]: optionId } },
});

const created = (version: number, kind: RecordedChange['kind'], after: { id: string }): RecordedChange => ({
  ...{ version, kind, id: after.id, before: null, after },
});

/** What is to be recorded after some changes of an empty catalog. */
const inputOf = (changes: readonly RecordedChange[], more: Partial<RecordingInput> = {}): RecordingInput => {
  const kinds = Map.groupBy(changes, ({ kind }) => kind);
  const chunks = Array.from(kinds, ([kind, made]): EntityChunk => {
    const present = new Map(made.map(({ id, after }) => [id, after]));
    return { kind, text: shareText(JSON.stringify([...present.values()].filter((entity) => entity !== null))) };
  });
  return {
    base: chunks,
    version: changes.at(-1)?.version ?? 0,
    since: 0,
    changes: [shareText(JSON.stringify(changes.toReversed()))],
    isFirst: true,
    found: [],
    rolled: [],
    ...more,
  };
};

describe('recording', () => {
  test('goes on where it stopped, however large the pools are', () => {
    const tiers = ['a', 'b', 'c', 'd', 'e'];
    const name = 'x'.repeat(190);
    const changes = [
      created(1, 'classifier', classifier(...tiers)),
      ...tiers.flatMap((tier) =>
        Array.from({ length: 9000 }, (_, index) => created(1, 'item', item(`${tier}-${index}`, tier, name))),
      ),
      ...tiers.map((tier) => created(1, 'template', template(tier, tier))),
      created(2, 'template', template('again', 'a', 2)),
    ];
    const texts = new Map<string, string>();
    const runs: ConfigsToRecord[] = [];
    let found: readonly RecordedConfig[] = [];
    for (let since = 0; since < 2; ) {
      const recorded = configsToRecord(
        inputOf(changes.slice(), { since, found, changes: changesAfter(changes, since) }),
      );
      runs.push(recorded);
      for (const { hash, text } of recorded.snapshots) texts.set(hash, text);
      since = recorded.versions.at(-1)?.version ?? since;
      found = recorded.found;
      assert.ok(runs.length < 10);
    }
    assert.ok(runs.length > 1, 'not all at once');
    for (const { snapshots } of runs) {
      const length = snapshots.reduce((sum, { text }) => sum + text.length, 0);
      assert.ok(length < LIMITS.recordedLength + LIMITS.snapshotLength, `${length}`);
    }
    const versions = runs.flatMap((recorded) => recorded.versions);
    assert.deepEqual(
      versions.map(({ version, configs }) => [version, configs.map(({ templateId }) => templateId).sort()]),
      [
        [1, ['', ...tiers]],
        [2, ['again']],
      ],
    );
    for (const { templateId, config } of versions.flatMap(({ configs }) => configs)) {
      if (templateId === '') {
        // All items together are too many.
        assert.equal(config, null);
        continue;
      }
      const text = texts.get(config ?? '') ?? '';
      assert.equal(digestOf(text), config);
      const snapshot = JSON.parse(text) as ConfigSnapshot;
      assert.equal(snapshot.templateId, templateId);
      assert.equal(digestOf(texts.get(snapshot.pool) ?? ''), snapshot.pool);
    }
  });

  test('keeps one copy of a catalog that grows item by item', () => {
    const changes = [
      created(1, 'classifier', classifier('a')),
      created(2, 'template', template('t', 'a')),
      ...Array.from({ length: 100 }, (_, index) => created(3 + index, 'item', item(`item-${index}`, 'a'))),
    ];
    const recorded = configsToRecord(inputOf(changes));
    assert.equal(recorded.versions.length, 102);
    const hashes = new Set(recorded.versions.flatMap(({ configs }) => configs.map(({ config }) => config)));
    // One per item, with and without the template, and nothing before the first.
    assert.equal(hashes.size, 201);
    assert.equal(recorded.snapshots.length, 3);
    const some = configsToRecord(inputOf(changes, { rolled: [{ templateId: 't', version: 50 }] }));
    assert.equal(some.snapshots.length, 5);
    const configAt = recorded.versions[49]?.configs.find(({ templateId }) => templateId === 't')?.config;
    assert.ok(some.snapshots.some(({ hash }) => hash === configAt));
  });
});

const changesAfter = (changes: readonly RecordedChange[], since: number): SharedText[] => [
  shareText(JSON.stringify(changes.filter(({ version }) => version > since).toReversed())),
];
