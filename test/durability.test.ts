import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from './harness.ts';

type Callback = (error: NodeJS.ErrnoException | null) => void;

/** Takes the place of the call that syncs a file, so that a test can hold it back or let it fail. */
const realSync = fs.fdatasync;
const held: { fd: number; done: Callback }[] = [];
let mode: 'real' | 'hold' | 'fail' = 'real';

const fakeSync = (fd: number, done: Callback): void => {
  if (mode === 'hold') held.push({ fd, done });
  else if (mode === 'fail')
    setImmediate(() => done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })));
  else realSync(fd, done);
};

const releaseAll = (): void => {
  mode = 'real';
  for (const { fd, done } of held.splice(0)) realSync(fd, done);
};

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
};

describe('an answer on SQLite', () => {
  let empty: EmptyDatabase;
  let service: Service;

  before(async () => {
    fs.fdatasync = fakeSync as typeof fs.fdatasync;
    syncBuiltinESMExports();
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
    await service.post('/items', { id: 'sword', name: 'Sword' });
  });

  after(async () => {
    releaseAll();
    await service.stop();
    await empty.drop();
    fs.fdatasync = realSync;
    syncBuiltinESMExports();
  });

  for (const [what, path, body] of [
    ['a creation', '/attributes', { name: 'Damage' }],
    ['a plain roll', '/items/roll', undefined],
    ['a roll that a player keeps', '/items/roll', { userId: 'ann' }],
    ['a refusal that rests on what another did in the same commit', '/items', { id: 'sword', name: 'Again' }],
  ] as const) {
    test(`leaves only after the commit is synced: ${what}`, async () => {
      mode = 'hold';
      let isAnswered = false;
      const answer = service.post(path, body).then((given) => {
        isAnswered = true;
        return given;
      });
      await turns(20);
      assert.equal(held.length, 1, 'the commit is done and waits for the disk');
      assert.equal(isAnswered, false);
      releaseAll();
      assert.ok([200, 400].includes((await answer).status));
    });
  }

  test('waits for a sync that began after its own commit, not for one under way', async () => {
    mode = 'hold';
    const first = service.post('/attributes', { name: 'First' });
    await turns(20);
    const second = service.post('/attributes', { name: 'Second' });
    await turns(20);
    // The second has committed while the disk works for the first; that work may not count for it.
    assert.equal(held.length, 1);
    const [only] = held.splice(0);
    let isSecondAnswered = false;
    second.then(() => {
      isSecondAnswered = true;
    });
    realSync(only?.fd as number, only?.done as Callback);
    assert.equal((await first).status, 200);
    await turns(20);
    assert.equal(isSecondAnswered, false);
    assert.equal(held.length, 1);
    releaseAll();
    assert.equal((await second).status, 200);
  });

  test('is never a success when the disk fails', async () => {
    mode = 'fail';
    const answer = await service.post('/attributes', { name: 'Lost?' });
    mode = 'real';
    assert.equal(answer.status, 503);
    assert.deepEqual(answer.body.issues, []);
    assert.equal((await service.post('/attributes', { name: 'After' })).status, 200);
  });
});
