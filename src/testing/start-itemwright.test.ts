import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createClient } from '../../packages/client/src/index.ts';
import { runToEnd } from '../../test/processes.ts';
import { startItemwright } from './start-itemwright.ts';

const MODULE = join(import.meta.dirname, 'start-itemwright.ts');

/** What a program with this code leaves in an empty folder for temporary files. */
const leftBy = async (code: string): Promise<{ left: string[]; code: number | null; stderr: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'game-tests-'));
  try {
    const script = join(folder, 'game.mjs');
    await writeFile(script, `import { startItemwright } from ${JSON.stringify(MODULE)};\n${code}`);
    const ended = await runToEnd(script, [], { TMPDIR: folder });
    return { ...ended, left: (await readdir(folder)).filter((name) => name.startsWith('itemwright-')) };
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('startItemwright', () => {
  test('starts services that know nothing of each other', async () => {
    const [one, two] = await Promise.all([startItemwright(), startItemwright()]);
    try {
      await createClient(one).items.create({ id: 'sword', name: 'Sword' });
      const { item, itemInstance } = await createClient(one).items.roll({ userId: 'ann' });
      assert.deepEqual([item.id, itemInstance?.userId], ['sword', 'ann']);
      assert.deepEqual(await createClient(two).items.list().all(), []);
      assert.equal(one.credentials, `${one.teamId}:${one.secret}`);
    } finally {
      await Promise.all([one.stop(), two.stop(), one.stop()]);
    }
    await assert.rejects(fetch(`${one.url}/healthz`));
  });

  test('has the time that it is given', async () => {
    let nowMs = Date.UTC(2030, 0, 1);
    const service = await startItemwright({ clock: () => nowMs });
    const client = createClient(service);
    await client.items.create({ id: 'gem', name: 'Gem' });
    await client.templates.create({ id: 'chest', name: 'Chest', type: 'idle', config: { rollsPerHour: 2 } });
    await client.templates.roll('chest', { userId: 'ann' });
    nowMs += 3 * 3_600_000;
    assert.equal((await client.templates.roll('chest', { userId: 'ann' })).rolls.length, 6);
    await service.stop();
  });

  test('leaves nothing behind, whether it is stopped or not', async () => {
    const stopped = await leftBy('await (await startItemwright()).stop();');
    assert.deepEqual([stopped.left, stopped.code, stopped.stderr], [[], 0, '']);
    const exited = await leftBy('await startItemwright(); process.exit(3);');
    assert.deepEqual([exited.left, exited.code, exited.stderr], [[], 3, '']);
  });
});
