/** The client against a running service. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { noMono, useProgram } from './program.ts';

describe('the C# client', { skip: noMono }, () => {
  const program = useProgram();

  onEveryDatabase('against a service', (service) => {
    const client = () => {
      const { address: url, teamId, secret } = service();
      return { url: `${url}/`, teamId, secret };
    };

    before(async () => {
      const call = { do: 'call', client: client(), operation: 'items.create' };
      for (let number = 0; number < 7; number += 1)
        await program.get({ ...call, body: { id: `item-${number}`, name: `Item ${number}` } });
    });

    test('walks all pages of a list, and no further than it is asked to', async () => {
      const expected = Array.from({ length: 7 }, (_, number) => `item-${number}`);
      assert.deepEqual(await program.get({ do: 'walk', client: client() }), expected);
      assert.deepEqual(await program.get({ do: 'walk', client: client(), until: 'item-3' }), expected.slice(0, 4));
      assert.deepEqual(await program.get({ do: 'all', client: client() }), expected);
      assert.deepEqual(await program.get({ do: 'all', client: client(), max: 7 }), expected);
      assert.equal((await program.fail({ do: 'all', client: client(), max: 6 })).type, 'InvalidOperationException');
    });

    test('does what a game does', async () => {
      const other = await service().anotherTeam();
      const { teamId, secret } = other;
      assert.equal(await program.get({ do: 'tour', client: { ...client(), teamId, secret } }), 'done');
      // Nothing of it concerns the first team.
      const { data } = await program.get({ do: 'call', client: client(), operation: 'templates.list' });
      assert.deepEqual(data, []);
    });

    test('names what a secret may not do, and what is not there', async () => {
      const { teamId, secret } = await service().as('read');
      const reader = { ...client(), teamId, secret };
      const forbidden = await program.fail({
        do: 'call',
        client: reader,
        operation: 'items.update',
        ids: ['item-1'],
        body: { name: 'Mine' },
      });
      assert.deepEqual([forbidden.type, forbidden.status], ['ForbiddenException', 403]);
      assert.match(forbidden.message, /^items\.update \(PUT \/items\/item-1\): 403 FORBIDDEN: /);
      const wrong = await program.fail({ do: 'call', client: { ...reader, secret: 'wrong' }, operation: 'team.get' });
      assert.equal(wrong.type, 'UnauthorizedException');
    });

    test('returns null if what is known is still so', async () => {
      const { teamId } = service();
      const config = { pool: { itemIds: ['item-0', 'item-1'] } };
      const body = { id: 'open', name: 'Open', config, disclosure: 'public' };
      await program.get({ do: 'call', client: client(), operation: 'templates.create', body });
      const read = { do: 'call', client: { url: client().url }, operation: 'public.odds', ids: [teamId, 'open'] };
      const { data, etag, unknown } = await program.get(read);
      assert.deepEqual([data.templateId, unknown], ['open', []]);
      const again = await program.get({ ...read, options: { ifNoneMatch: etag } });
      assert.deepEqual([again.data, again.status], [null, 304]);
      assert.notEqual((await program.get({ ...read, options: { ifNoneMatch: '"other"' } })).data, null);
    });
  });
});
