import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createEmptyDatabase, type EmptyDatabase, ENGINES, type Service, startService } from '../harness.ts';

const LIMIT_MS = 500;

for (const engine of ENGINES) {
  describe(`the time limit of a request on ${engine}`, { timeout: 60_000 }, () => {
    let empty: EmptyDatabase;
    let service: Service;
    /** Delays commands and secret lookups. */
    let gate = Promise.withResolvers<void>();
    let isShut = false;
    const passed = async (): Promise<void> => {
      if (isShut) await gate.promise;
    };
    const shut = (): void => {
      gate = Promise.withResolvers();
      isShut = true;
    };
    const open = (): void => {
      isShut = false;
      gate.resolve();
    };

    before(async () => {
      empty = await createEmptyDatabase(engine);
      service = await startService(empty.url, {}, undefined, {
        requestTimeoutMs: LIMIT_MS,
        disguise: (database) => ({
          ...database,
          write: (teamId, command) =>
            database.write(teamId, async (work) => {
              const value = await command(work);
              await passed();
              return value;
            }),
          transaction: async (teamId, command) => {
            await passed();
            return database.transaction(teamId, command);
          },
          readUrgent: async (teamId, query) => {
            await passed();
            return database.readUrgent(teamId, query);
          },
        }),
      });
      assert.equal((await service.get('/team')).status, 200);
    });
    after(async () => {
      open();
      await service?.stop();
      await empty?.drop();
    });

    for (const [what, path, body] of [
      ['a change', '/attributes', { id: 'late', name: 'Late' }],
      ['a change with a key', '/attributes', { id: 'late', name: 'Late' }],
    ] as const) {
      test(`responds with 503 and Retry-After to ${what} that takes longer, and rolls it back`, async () => {
        const headers: Record<string, string> = what.includes('key') ? { 'idempotency-key': 'late' } : {};
        shut();
        const late = await service.post(path, body, { headers });
        assert.equal(late.status, 503);
        assert.deepEqual(late.body, { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable', issues: [] });
        assert.equal(late.headers.get('retry-after'), '1');
        open();
        assert.equal((await service.get('/attributes/late')).status, 404);
        const again = await service.post(path, body, { headers });
        assert.equal(again.status, 200, 'it can be retried');
        assert.equal((await service.delete('/attributes/late')).status, 200);
      });
    }

    test('undoes an update and a deletion that take longer, too', async () => {
      await service.post('/attributes', { id: 'slow', name: 'Slow' });
      await service.post('/users', { id: 'slow' });
      const late = [
        () => service.put('/attributes/slow', { name: 'Late' }),
        () => service.delete('/attributes/slow'),
        () => service.delete('/users/slow'),
      ];
      for (const send of late) {
        shut();
        assert.equal((await send()).status, 503);
        open();
      }
      assert.equal((await service.get('/attributes?id=slow')).body[0]?.name, 'Slow');
      assert.equal((await service.get('/users/slow')).status, 200);
      for (const send of late) assert.equal((await send()).status, 200, 'it can be asked for again');
    });

    test('responds with 503 if looking up a secret takes that long, and accepts the secret later', async () => {
      const fresh = await service.as('read');
      shut();
      assert.equal((await fresh.get('/team')).status, 503);
      open();
      assert.equal((await fresh.get('/team')).status, 200);
    });

    test('disconnects a client that does not read the response', async () => {
      const socket = connect(Number(new URL(service.address).port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      // More than the system buffers for a connection, and none of it is read.
      socket.pause();
      socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(200));
      const connections = () =>
        new Promise<number>((resolve) => service.app.server.getConnections((_error, count) => resolve(count)));
      service.app.server.closeIdleConnections();
      while ((await connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    });
  });
}
