import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { System, Words } from './words.presenter.ts';
import { german } from './words-de.presenter.ts';
import { english } from './words-en.presenter.ts';
import { japanese } from './words-ja.presenter.ts';
import { korean } from './words-ko.presenter.ts';
import { chinese } from './words-zh.presenter.ts';

const SYSTEMS: System[] = ['gacha', 'idle', 'card_pack', 'roguelike'];

/** Every text of a language, for all systems, and for one and many of everything. */
const textsOf = (words: Words): Map<string, string> => {
  const texts = new Map<string, string>();
  const pity = { misses: 9, isTop: true, higherResets: false };
  const lower = { misses: 9, isTop: false, higherResets: true };
  const helps = { pity: true, guarantee: true };
  const text = (value: unknown): string =>
    typeof value === 'string' ? value : (value as { text: string; more: string }).text;
  const { formats: _, gap: __, ...spoken } = words;
  for (const [name, value] of Object.entries(spoken)) {
    if (typeof value !== 'function') {
      texts.set(name, text(value));
      continue;
    }
    // What a function does not expect, it ignores.
    const call = value as (...args: unknown[]) => unknown;
    for (const system of SYSTEMS) {
      const key = `${name} ${system}`;
      if (name === 'certain')
        for (const one of [pity, lower, { ...pity, misses: 0 }, { ...pity, misses: 1 }])
          texts.set(`${key} ${JSON.stringify(one)}`, text(call(system, 'SSR', one)));
      else if (name === 'overallNote') texts.set(key, text(call(system, helps)));
      else if (name === 'contents') texts.set(key, text(call(system, 3, true)));
      else if (['accrues', 'catalogVersion'].includes(name)) texts.set(key, text(call(2.5, 24, 60)));
      else if (['guarantee', 'scaledBy'].includes(name)) texts.set(key, text(call('SSR', 2)));
      else if (['between', 'asData', 'featuredShare'].includes(name)) texts.set(key, text(call('A', 'B')));
      else if (value.length === 2) texts.set(key, text(call(system, 1234)));
      else if (/^(?:until|from|pageTitle|countedInGroup|featuredAre|chanceOf|alarm|announcedFrom|deeper)$/.test(name))
        texts.set(key, text(call('A')));
      else if (/^(?:items|all|attributes|featuredMany|moreItems|inSteps|against|allTogether)/.test(name))
        texts.set(key, text(call(1234)));
      else texts.set(key, text(call(system)));
    }
  }
  return texts;
};

describe('the words of a page', () => {
  const all = { english, german, japanese, korean, chinese };
  for (const [language, words] of Object.entries(all))
    test(`are all there in ${language}`, () => {
      const texts = textsOf(words);
      for (const [name, text] of texts) {
        assert.notEqual(text.trim(), '', name);
        assert.doesNotMatch(text, /undefined|NaN|\[object| {2}/, name);
      }
      assert.deepEqual(Object.keys(words).toSorted(), Object.keys(english).toSorted());
    });

  test('are not left in English', () => {
    const own = textsOf(english);
    for (const [language, words] of Object.entries(all)) {
      if (language === 'english') continue;
      const same = [...textsOf(words)].filter(([name, text]) => text === own.get(name)).map(([name]) => name);
      // Some words are the same in German.
      const shared = /^(?:version|chanceOnly|chance|rolls|between) ?/;
      assert.deepEqual(
        same.filter((name) => language !== 'german' || !shared.test(name)),
        [],
        language,
      );
    }
  });

  test('use the punctuation of their language', () => {
    for (const words of [japanese, chinese])
      for (const [name, text] of textsOf(words))
        assert.doesNotMatch(text, /[\p{Script=Han}\p{Script=Hiragana}][,;]|[()]/u, name);
  });

  test('write numbers and times as the language does', () => {
    const at = '2026-11-14T13:05:00.000Z';
    const formatted = [german, japanese, korean, chinese].map(({ formats: { percent, count, moment } }) => [
      percent(0.01605),
      count(12_345),
      moment(at).replaceAll(/<[^>]+>/g, ''),
    ]);
    assert.deepEqual(formatted, [
      ['1,605 %', '12.345', '14. November 2026 um 13:05 UTC'],
      ['1.605%', '12,345', '2026年11月14日 13:05 UTC'],
      ['1.605%', '12,345', '2026년 11월 14일 오후 1:05 UTC'],
      ['1.605%', '12,345', '2026年11月14日 13:05 UTC'],
    ]);
    assert.equal(german.formats.percent(0.999999), '&gt; 99,99 %');
    assert.equal(german.formats.percent(1), '100 %');
  });
});
