import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  addUnits,
  type Balance,
  EMPTY_BALANCE,
  paidIn,
  plainDecimal,
  SPENDING,
  takeUnits,
  totalOf,
} from './balance.ts';

const EURO = { unitPrice: '0.99', money: 'EUR' };

describe('balances', () => {
  test('what comes in pays what is owed first', () => {
    const owing: Balance = { quantity: -7, lots: [] };
    const { balance, lots } = addUnits(owing, 10, EURO, 5);
    assert.deepEqual(balance, { quantity: 0, lots: [{ quantity: 3, sinceMs: 5, ...EURO }] });
    assert.deepEqual(lots, [
      { quantity: 7, price: null },
      { quantity: 3, price: EURO },
    ]);
    assert.deepEqual(addUnits(owing, 7, EURO, 5).balance, EMPTY_BALANCE);
    assert.deepEqual(addUnits(owing, 8, null, 5).balance, { quantity: 1, lots: [] });
  });

  test('more than there is cannot be taken', () => {
    for (const spending of SPENDING) {
      assert.throws(() => takeUnits(EMPTY_BALANCE, 1, spending));
      assert.throws(() => takeUnits({ quantity: -1, lots: [] }, 1, spending));
      assert.throws(() => takeUnits(addUnits({ quantity: 2, lots: [] }, 3, EURO, 0).balance, 6, spending));
    }
  });

  test('equal prices have one text', () => {
    for (const [text, plain] of [
      ['1', '1'],
      ['10', '10'],
      ['1.0', '1'],
      ['0.50', '0.5'],
      ['100.00', '100'],
      ['0.0099', '0.0099'],
    ] as const)
      assert.equal(plainDecimal(text), plain);
  });

  test('no unit is lost or made, in any order of changes', () => {
    const prices = fc.constantFrom(null, EURO, { unitPrice: '0.5', money: 'EUR' }, { unitPrice: '0.99', money: 'USD' });
    const change = fc.record({ quantity: fc.integer({ min: -40, max: 50 }), price: prices });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.constantFrom(...SPENDING), (changes, spending) => {
        let balance: Balance = EMPTY_BALANCE;
        for (const { quantity, price } of changes) {
          const before = balance;
          const by = Math.max(quantity, -totalOf(before));
          if (by === 0) continue;
          const next = by > 0 ? addUnits(before, by, price, 0) : takeUnits(before, -by, spending);
          assert.equal(totalOf(next.balance), totalOf(before) + by);
          assert.equal(
            next.lots.reduce((sum, lot) => sum + lot.quantity, 0),
            by,
          );
          assert.ok(next.balance.quantity >= 0 && next.balance.lots.every((lot) => lot.quantity > 0));
          const keys = next.balance.lots.map(({ unitPrice, money }) => `${unitPrice} ${money}`);
          assert.equal(new Set(keys).size, keys.length);
          if (by < 0 && spending === 'freeFirst' && paidIn(next.balance) < paidIn(before))
            assert.equal(next.balance.quantity, 0);
          if (by < 0 && spending === 'paidFirst' && next.balance.quantity < before.quantity)
            assert.equal(paidIn(next.balance), 0);
          balance = next.balance;
        }
      }),
    );
  });
});
