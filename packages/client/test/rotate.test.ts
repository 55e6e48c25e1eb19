import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { ConflictError, createClient, rotateSeeds, type Shown, ValidationError } from '../src/index.ts';

onEveryDatabase('rotating with a client seed of the player', (service) => {
  const start = () => {
    const { address: url, teamId, secret } = service();
    return createClient({ url, teamId, secret });
  };

  test('shows what the service has committed to, then sends the client seed', async () => {
    const client = start();
    const shown: Shown[] = [];
    const choose = (seed: string) => async (one: Shown) => {
      shown.push(one);
      return seed;
    };
    const first = await rotateSeeds(client, 'ann', choose('one'));
    const second = await rotateSeeds(client, 'ann', choose('two'));
    assert.deepEqual([first.epoch, first.clientSeed, second.epoch, second.clientSeed], [0, 'one', 1, 'two']);
    assert.deepEqual(
      shown.map(({ commitment, manifest }) => [commitment, manifest]),
      [
        [first.commitment, first.manifest],
        [first.nextCommitment, second.manifest],
      ],
    );
  });

  test('takes another client seed if it was overtaken, never the same', async () => {
    const client = start();
    await client.items.create({ name: 'Sword' });
    const overtake = (seed: string) => rotateSeeds(client, 'bob', () => seed);
    let asked = 0;
    const rotated = await rotateSeeds(client, 'bob', async () => {
      asked += 1;
      // A rotation elsewhere, twice, and a catalog that changes.
      if (asked <= 2) await overtake(`elsewhere ${asked}`);
      if (asked === 3) await client.templates.create({ id: 'fair', name: 'Fair', config: {}, verifiable: true });
      return `seed ${asked}`;
    });
    assert.deepEqual([asked, rotated.epoch, rotated.clientSeed], [4, 2, 'seed 4']);
    const stubborn = rotateSeeds(client, 'bob', async () => {
      await overtake(`again ${crypto.randomUUID()}`);
      return 'stubborn';
    });
    await assert.rejects(stubborn, TypeError);
    assert.notEqual((await client.fairness.get('bob')).clientSeed, 'stubborn');
  });

  test('gives up after a while, and at once for anything else', async () => {
    const client = start();
    let asked = 0;
    const endless = rotateSeeds(client, 'eve', async () => {
      asked += 1;
      await rotateSeeds(client, 'eve', () => `elsewhere ${asked}`);
      return `seed ${asked}`;
    });
    await assert.rejects(endless, ConflictError);
    assert.equal(asked, 5);
    await assert.rejects(
      rotateSeeds(client, 'eve', () => ''),
      ValidationError,
    );
    const failing = rotateSeeds(client, 'eve', () => {
      throw new RangeError('closed');
    });
    await assert.rejects(failing, RangeError);
  });
});
