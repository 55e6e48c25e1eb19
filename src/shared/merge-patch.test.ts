import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergePatch } from './merge-patch.ts';

describe('a JSON merge patch', () => {
  // The examples of RFC 7396, appendix A.
  for (const [target, patch, result] of [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    // Members that every object inherits.
    ['{}', '{"__proto__":{"a":1},"toString":{"b":2}}', '{"__proto__":{"a":1},"toString":{"b":2}}'],
  ] as const)
    test(`makes ${result} of ${target} with ${patch}`, () => {
      assert.equal(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch))), result);
      assert.equal(({} as Record<string, unknown>).a, undefined);
    });
});
