import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timeMsOf } from './iso-time.ts';

test('times are read as JavaScript reads them', () => {
  const anyTime = fc.date({
    min: new Date('0000-01-01T00:00:00.000Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(anyTime, (time) => assert.equal(timeMsOf(time.toISOString()), time.getTime())),
    { numRuns: 1000 },
  );
  for (let year = 1890; year < 2110; year += 1) {
    for (const day of ['02-28', '03-01', '12-31', '01-01']) {
      const text = `${year}-${day}T00:00:00.000Z`;
      assert.equal(timeMsOf(text), Date.parse(text), text);
    }
  }
});

test('other texts are not times', () => {
  for (const text of [
    '',
    '2027-03-01',
    '2027-03-01T10:00:02Z',
    '2027-03-01T10:00:02.000',
    '2027-03-01T10:00:02.000+00:00',
    '2027-02-29T10:00:02.000Z',
    '2100-02-29T10:00:02.000Z',
    '2027-04-31T10:00:02.000Z',
    '2027-13-01T10:00:02.000Z',
    '2027-00-01T10:00:02.000Z',
    '2027-01-00T10:00:02.000Z',
    '2027-01-01T24:00:00.000Z',
    '2027-01-01T23:60:00.000Z',
    '2027-01-01T23:59:60.000Z',
    ' 2027-03-01T10:00:02.000Z',
  ])
    assert.equal(timeMsOf(text), undefined, text);
  assert.notEqual(timeMsOf('2028-02-29T10:00:02.000Z'), undefined);
});
