import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isInstalled, ROOT, readPage } from '../docs.ts';
import { onEveryDatabase } from '../harness.ts';
import { freePort } from '../processes.ts';

/** Stops at the first failing line, and stops the service that it started. */
const STRICT = "set -e -o pipefail\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n";

/** Runs the restore drill of the operations page: its lines as written, except for the port. */
const [, drill = ''] = /^## Restore drill\n.*?^```sh\n(.*?)^```$/ms.exec(readPage('docs/operate/backup.md')) ?? [];

if (!isInstalled('bash', 'curl', 'npm'))
  test('the restore drill', { skip: 'there is no bash, no curl or no npm here to run it with' }, () => {});
else
  onEveryDatabase('the restore drill', (service) => {
    test('works as written, while the service is running', async () => {
      const { teamId, secret, databaseUrl } = service();
      await service().post('/items', { id: 'sword', name: 'Sword' });
      for (let rolls = 0; rolls < 3; rolls += 1) await service().post('/items/roll', { userId: 'ann' });
      const port = await freePort();
      const lines = drill.replaceAll('8081', String(port));
      assert.equal(lines.match(new RegExp(String(port), 'g'))?.length, 3);
      const { stdout } = await promisify(execFile)('bash', ['-c', `${STRICT}${lines}`], {
        cwd: ROOT,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          DATABASE_URL: databaseUrl,
          ITEMWRIGHT_CREDENTIALS: `${teamId}:${secret}`,
        },
      });
      assert.match(stdout, /^restored [1-9]\d* rows/m);
      assert.match(stdout, /^no problems found: checked 3 instances/m);
      assert.ok(stdout.includes(`"id":"${teamId}"`), stdout);
      assert.ok(stdout.includes('"totalRolls":3'), stdout);
    });
  });
