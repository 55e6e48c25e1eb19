import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { issuePaths, onEveryDatabase } from '../../../test/harness.ts';

onEveryDatabase('attributes', (service) => {
  test('creates an attribute with the default range', async () => {
    const { status, body } = await service().post('/attributes', { name: 'damage' });
    assert.equal(status, 200);
    assert.deepEqual(body, { id: body.id, name: 'damage', min: 0, max: 100, step: null, teamId: service().teamId });
  });

  test('lists attributes, oldest first, and filters by id', async () => {
    const first = await service().post('/attributes', { id: 'a-first', name: 'first' });
    const second = await service().post('/attributes', { id: 'a-second', name: 'second' });
    const all = await service().get('/attributes');
    assert.deepEqual(all.body.slice(-2), [first.body, second.body]);
    assert.deepEqual((await service().get('/attributes?id=a-second')).body, [second.body]);
    assert.deepEqual((await service().get('/attributes?id=nobody')).body, []);
  });

  describe('refuses', () => {
    test('a range that is turned round', async () => {
      const { status, body } = await service().post('/attributes', { name: 'damage', min: 9, max: 1 });
      assert.equal(status, 400);
      assert.deepEqual(body, {
        code: 'BAD_REQUEST',
        message: 'Invalid input data',
        issues: [{ path: '/body/min', message: 'must not be above max (1)' }],
      });
    });

    test('every fault at once, each with its path', async () => {
      const answer = await service().post('/attributes', { name: '', min: '1', colour: 'red' });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/body/colour', '/body/min', '/body/name']);
    });
  });
});
