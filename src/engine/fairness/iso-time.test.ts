import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { offsetTimeMsOf, timeMsOf } from './iso-time.ts';

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

test('times with an offset are read as JavaScript reads them', () => {
  const two = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
  const fraction = fc.option(fc.stringMatching(/^\d{1,9}$/), { nil: undefined });
  const anyText = fc
    .record({
      day: fc.constantFrom('2027-02-28', '2028-02-29', '1999-12-31', '0001-01-01', '9998-07-31'),
      clock: fc.tuple(two(24), two(59)).map((parts) => parts.join(':')),
      seconds: fc.option(fc.tuple(two(59), fraction), { nil: undefined }),
      zone: fc.oneof(
        fc.constant('Z'),
        fc.tuple(fc.constantFrom('+', '-'), two(25), two(61)).map(([sign, ...parts]) => `${sign}${parts.join(':')}`),
      ),
    })
    .map(({ day, clock, seconds, zone }) => {
      const [whole, rest] = seconds ?? [];
      const end = whole === undefined ? '' : `:${whole}${rest === undefined ? '' : `.${rest}`}`;
      return `${day}T${clock}${end}${zone}`;
    });
  fc.assert(
    fc.property(anyText, (text) => {
      const expected = Date.parse(text);
      assert.equal(offsetTimeMsOf(text), Number.isNaN(expected) ? undefined : expected, text);
    }),
    { numRuns: 3000 },
  );
  assert.equal(offsetTimeMsOf('2027-01-01T24:00:00+09:00'), Date.parse('2027-01-01T15:00:00Z'));
  for (const text of ['', 'soon', '2027-01-01', '2027-02-29T10:00Z', '2027-01-01T10:00', '2027-01-01T10:00:00.Z'])
    assert.equal(offsetTimeMsOf(text), undefined, text);
});
