import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { cutPower } from '../power-cut/cuts.ts';
import { type States, statesOf } from '../power-cut/states.ts';
import { LIVES, recordStory, type Story } from '../power-cut/story.ts';
import { compileRecorder } from '../power-cut/trace.ts';

/** In the suite; POWER_CUTS=2500 by hand. Another seed cuts at other moments. */
const CUTS = Number(process.env.POWER_CUTS ?? 60);
const SEED = Number(process.env.POWER_CUT_SEED ?? 1);
/** Enough to show a loss where a lot is lost. */
const FEW_CUTS = Math.ceil(CUTS / 5);
/** The minimum number of responses in each life of the service. */
const REQUESTS = Math.max(60, Math.floor(CUTS / 8));

describe('a service on SQLite after a power cut', () => {
  let folder: string;
  /** In memory, if possible: it will contain thousands of databases. */
  let image: string;
  let library: string | undefined;
  let story: Story;
  let states: States;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'itemwright-power-cut-')));
    image = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'itemwright-power-cut-'));
    library = await compileRecorder(folder);
    if (library === undefined) return;
    const { first, killed, last } = LIVES;
    story = await recordStory([first, killed, last], { library, folder, seed: SEED, requests: REQUESTS, syncs: 'all' });
    states = statesOf(story, image);
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(image, { recursive: true, force: true });
  });

  const canRecord = (t: TestContext): boolean => {
    if (library === undefined) t.skip('needs Linux with glibc and a C compiler');
    return library !== undefined;
  };

  test('has every acknowledged write, and nothing half done', async (t) => {
    if (!canRecord(t)) return;
    const faults = await cutPower(story, { folder: image, states, count: CUTS, seed: SEED });
    assert.deepEqual(faults, []);
    const things = story.lives.flat();
    const syncs = things.filter(({ kind }) => kind === 'sync is done').length;
    t.diagnostic(
      `${CUTS} power cuts among ${things.length} writes, syncs and the like, of which ${syncs} are syncs done; ${states.count} states; ${story.acknowledged.length} writes acknowledged and all found`,
    );
  });

  test('would lose acknowledged writes without the sync before each response', async (t) => {
    if (!canRecord(t)) return;
    // SQLite syncs on its own thread; the sync before a response is on another.
    const mainThreads = new Set(story.lives.map(([did]) => did?.thread));
    const isSeen = ({ kind, thread }: { kind: string; thread: number }) =>
      !kind.startsWith('sync') || mainThreads.has(thread);
    const faults = await cutPower(story, { folder: image, states, count: FEW_CUTS, seed: SEED, isSeen });
    assert.ok(faults.some((fault) => fault.includes('lost')));
    t.diagnostic(`${faults.length} of ${FEW_CUTS} power cuts lost something`);
  });

  test('would lose acknowledged writes if nothing was ever synced', async (t) => {
    if (!canRecord(t)) return;
    const settings = { library: library as string, folder, seed: SEED, requests: REQUESTS, syncs: 'none' as const };
    const unsynced = await recordStory([LIVES.first], settings);
    assert.ok(unsynced.lives.flat().every(({ kind }) => !kind.startsWith('sync')));
    const faults = await cutPower(unsynced, {
      folder: image,
      states: statesOf(unsynced, image),
      count: FEW_CUTS,
      seed: SEED,
    });
    assert.ok(faults.some((fault) => fault.includes('lost')));
    t.diagnostic(`${faults.length} of ${FEW_CUTS} power cuts lost something`);
  });
});
