import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceWords, formatRatio, teamWords, templateWords } from './words.ts';

test('evidence is told from 1 : 10 on, and never rounded up', () => {
  assert.equal(evidenceWords(9.99), 'No evidence against the published odds');
  assert.equal(evidenceWords(24.9), 'Evidence 1 : 24 against the published odds');
  assert.equal(formatRatio(0.2), '1 : 1');
  assert.equal(formatRatio(999_999.9), '1 : 999,999');
  assert.equal(formatRatio(2_999_999), '1 : 2.99 million');
  assert.equal(formatRatio(1e12), '1 : more than 1 trillion');
});

test('evidence against several configurations is told in the same words', () => {
  assert.equal(
    templateWords(1),
    'All configurations that the template ever had, taken together: no evidence against the published odds.',
  );
  assert.equal(
    teamWords(240),
    'All configurations of all templates, taken together: evidence 1 : 240 against the published odds.',
  );
});
