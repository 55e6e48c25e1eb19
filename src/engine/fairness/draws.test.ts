import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesOfHex, hexOf } from './bytes.ts';
import { type DrawsSource, drawsMessage, verifiableDraws } from './draws.ts';
import { hmacSha256 } from './sha256.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/fairness-vectors.json', import.meta.url), 'utf8'),
) as {
  serverSeed: string;
  blocks: { message: string; hmac: string; draws: number[] }[];
};

const published: DrawsSource = {
  serverSeed: bytesOfHex(vectors.serverSeed),
  teamId: 't1',
  userId: 'p1',
  clientSeed: 'lucky ☘',
  nonce: 0,
};

const text = fc.string({ unit: 'binary', maxLength: 191 });
const anySource: fc.Arbitrary<DrawsSource> = fc.record({
  serverSeed: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  teamId: text,
  userId: text,
  clientSeed: text,
  nonce: fc.maxSafeNat(),
});

/** The message and the draws again, from the definition alone. */
const messageByDefinition = (source: DrawsSource, block: number): Buffer => {
  const nonce = Buffer.alloc(8);
  nonce.writeBigUInt64BE(BigInt(source.nonce));
  const number = Buffer.alloc(4);
  number.writeUInt32BE(block);
  const fields = [
    Buffer.from('itemwright/draws/2'),
    Buffer.from(source.teamId),
    Buffer.from(source.userId),
    Buffer.from(source.clientSeed),
    nonce,
    number,
  ];
  return Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(field.length);
      return [length, field];
    }),
  );
};

const drawByDefinition = (source: DrawsSource, index: number): number => {
  const message = messageByDefinition(source, Math.floor(index / 4));
  const digest = createHmac('sha256', source.serverSeed).update(message).digest();
  return Number(digest.readBigUInt64BE(8 * (index % 4)) >> 11n) / 2 ** 53;
};

describe('verifiable draws', () => {
  test('are the published ones', () => {
    const { draws, used } = verifiableDraws(published);
    assert.ok(vectors.blocks.length > 1);
    for (const [block, { message, hmac, draws: expected }] of vectors.blocks.entries()) {
      assert.equal(hexOf(drawsMessage(published, block)), message);
      assert.equal(hexOf(hmacSha256(published.serverSeed, bytesOfHex(message))), hmac);
      for (const draw of expected) assert.equal(draws(), draw);
    }
    assert.equal(used(), 4 * vectors.blocks.length);
  });

  test('follow the definition for any source', () => {
    fc.assert(
      fc.property(anySource, fc.nat(0xffffffff), (source, block) => {
        assert.equal(hexOf(drawsMessage(source, block)), messageByDefinition(source, block).toString('hex'));
        const { draws } = verifiableDraws(source);
        for (let index = 0; index < 9; index += 1) assert.equal(draws(), drawByDefinition(source, index));
      }),
    );
  });

  test('are counted', () => {
    const { draws, used } = verifiableDraws(published);
    assert.equal(used(), 0);
    for (let count = 1; count < 10; count += 1) {
      draws();
      assert.equal(used(), count);
    }
  });

  test('differ with every field, and fields cannot be moved into each other', () => {
    const sources: DrawsSource[] = [
      published,
      { ...published, serverSeed: new Uint8Array(32) },
      { ...published, teamId: 't' },
      { ...published, teamId: 't1p', userId: '1' },
      { ...published, userId: 'p1l', clientSeed: 'ucky ☘' },
      { ...published, clientSeed: 'lucky' },
      { ...published, nonce: 1 },
      { ...published, nonce: 2 ** 32 },
    ];
    assert.equal(new Set(sources.map((source) => verifiableDraws(source).draws())).size, sources.length);
  });

  test('are the same for two calls in turns', () => {
    const [one, other] = [verifiableDraws(published), verifiableDraws({ ...published, nonce: 1 })];
    for (let index = 0; index < 10; index += 1) {
      assert.equal(one.draws(), drawByDefinition(published, index));
      assert.equal(other.draws(), drawByDefinition({ ...published, nonce: 1 }, index));
    }
  });
});
