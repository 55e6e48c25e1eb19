import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesOfHex, hexOf, utf8 } from './bytes.ts';
import { hashOfText, hmacAfter, hmacSha256, sha256 } from './sha256.ts';

const nodeHash = (message: Uint8Array): string => createHash('sha256').update(message).digest('hex');
const nodeHmac = (key: Uint8Array, message: Uint8Array): string =>
  createHmac('sha256', key).update(message).digest('hex');
const bytesOfLength = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 151 + 7) % 256);
const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

const bytes = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' });

describe('SHA-256', () => {
  test('of the examples of the standard', () => {
    assert.equal(hashOfText(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.equal(hashOfText('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(
      hashOfText('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    );
    assert.equal(hashOfText('a'.repeat(1_000_000)), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  });

  test('is that of Node for every length around the ends of blocks', () => {
    for (let length = 0; length <= 260; length += 1) {
      const message = bytesOfLength(length);
      assert.equal(hexOf(sha256(message)), nodeHash(message), `${length} bytes`);
    }
  });

  test('is that of Node for any bytes', () => {
    fc.assert(fc.property(bytes(5000), (message) => assert.equal(hexOf(sha256(message)), nodeHash(message))));
  });

  test('is that of Node for a part of a larger buffer', () => {
    const part = bytesOfLength(1000).subarray(123, 457);
    assert.equal(hexOf(sha256(part)), nodeHash(part));
  });

  test('is that of Node for any well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) =>
        assert.equal(hashOfText(text), nodeHash(Buffer.from(text, 'utf8'))),
      ),
    );
  });
});

describe('HMAC-SHA-256', () => {
  test('of the examples of RFC 4231', () => {
    const hmac = (key: Uint8Array, text: string): string => hexOf(hmacSha256(key, utf8(text)));
    assert.equal(
      hmac(new Uint8Array(20).fill(0x0b), 'Hi There'),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    );
    assert.equal(
      hmac(utf8('Jefe'), 'what do ya want for nothing?'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
    assert.equal(
      hmac(new Uint8Array(131).fill(0xaa), 'Test Using Larger Than Block-Size Key - Hash Key First'),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    );
  });

  test('is that of Node for any key and message', () => {
    fc.assert(
      fc.property(bytes(200), bytes(1000), (key, message) =>
        assert.equal(hexOf(hmacSha256(key, message)), nodeHmac(key, message)),
      ),
    );
  });

  test('is that of Node for keys around the length of a block', () => {
    for (const length of [0, 1, 32, 63, 64, 65, 127, 128, 129]) {
      const key = bytesOfLength(length);
      assert.equal(hexOf(hmacSha256(key, utf8('message'))), nodeHmac(key, utf8('message')), `${length} bytes`);
    }
  });

  test('of messages that begin alike is that of each, wherever the common part ends', () => {
    const key = bytesOfLength(32);
    for (let prefixLength = 0; prefixLength <= 200; prefixLength += 1) {
      for (const suffixLength of [0, 4, 70, 140]) {
        const prefix = bytesOfLength(prefixLength);
        const hmac = hmacAfter(key, prefix);
        for (const fill of [0, 255, 1]) {
          const suffix = new Uint8Array(suffixLength).fill(fill);
          assert.equal(
            hexOf(hmac(suffix)),
            nodeHmac(key, joined(prefix, suffix)),
            `${prefixLength} and ${suffixLength} bytes`,
          );
        }
      }
    }
  });

  test('does not depend on other calls in between', () => {
    const [first, second] = [hmacAfter(utf8('a'), utf8('x')), hmacAfter(utf8('b'), utf8('y'))];
    first(utf8('1'));
    second(utf8('2'));
    assert.equal(hexOf(first(utf8('3'))), nodeHmac(utf8('a'), utf8('x3')));
  });
});

test('hex is read as it is written', () => {
  fc.assert(
    fc.property(bytes(100), (some) => {
      assert.equal(hexOf(some), Buffer.from(some).toString('hex'));
      assert.deepEqual(bytesOfHex(hexOf(some)), Uint8Array.from(some));
    }),
  );
});
