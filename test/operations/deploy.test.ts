/** The script that containers, systemd and Kubernetes make backups with. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createEmptyDatabase, onEveryDatabase } from '../harness.ts';
import { runToEnd } from '../processes.ts';

const ROOT = join(import.meta.dirname, '../..');

onEveryDatabase('the backup script', (service) => {
  test('keeps the newest complete backups beside a running service, which can be restored', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'itemwright-backups-'));
    const copy = await createEmptyDatabase('sqlite');
    try {
      await service().post('/items', { id: 'sword', name: 'Sword' });
      // The command as it is installed.
      const command = join(folder, 'itemwright');
      await writeFile(command, `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'src/cli.ts')} "$@"\n`);
      await chmod(command, 0o755);
      const backUp = async (databaseUrl: string, ...args: string[]): Promise<number> => {
        const env = { PATH: `${folder}:${process.env.PATH}`, DATABASE_URL: databaseUrl };
        const ended = promisify(execFile)(join(ROOT, 'deploy/backup.sh'), args, { env });
        return ended.then(
          () => 0,
          ({ code }) => code as number,
        );
      };
      const backups = async () => (await readdir(folder)).filter((name) => name !== 'itemwright').sort();

      assert.equal(await backUp(service().databaseUrl, folder, '2'), 0);
      const [first = ''] = await backups();
      assert.match(first, /^itemwright-\d{8}T\d{6}Z\.backup$/);
      assert.equal((await stat(join(folder, first))).mode & 0o777, 0o600);
      for (let count = 0; count < 2; count += 1) {
        // Names have seconds.
        await delay(1100);
        assert.equal(await backUp(service().databaseUrl, folder, '2'), 0);
      }
      const kept = await backups();
      assert.equal(kept.length, 2);
      assert.ok(!kept.includes(first));

      for (const [url, ...args] of [
        ['sqlite:/nowhere/items.db', folder, '1'],
        [service().databaseUrl, folder, '0'],
        [service().databaseUrl, folder, 'all'],
        [service().databaseUrl, join(folder, 'none')],
        [service().databaseUrl],
      ] as [string, ...string[]][])
        assert.notEqual(await backUp(url, ...args), 0, args.join(' '));
      assert.deepEqual(await backups(), kept);

      const restored = await runToEnd('src/cli.ts', ['restore', join(folder, kept[1] ?? '')], {
        DATABASE_URL: copy.url,
      });
      assert.deepEqual([restored.code, restored.stderr], [0, '']);
    } finally {
      await rm(folder, { recursive: true, force: true });
      await copy.drop();
    }
  });
});
