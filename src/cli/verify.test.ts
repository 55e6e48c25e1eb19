import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { callOf, fairnessVectors, playHistory, type TestProof } from '../../test/fairness.ts';
import { run as runScript } from '../../test/processes.ts';
import { banner, items, options } from '../../test/proofs.ts';
import { createTestLog, leavesOf, otherLeaf } from '../../test/public-log.ts';
import type { Surroundings } from './catalog/terminal.ts';
import { runCommandLine } from './run.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Input that never ends, and how much of it was read. */
const createEndless = () => {
  const chunk = Buffer.alloc(1024 * 1024);
  let bytes = 0;
  function* chunks() {
    for (;;) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks: chunks(), bytesRead: () => bytes };
};

type Input = string | Buffer | Iterable<Buffer>;

/** Runs the command line in this process. */
const run = async (args: readonly string[], { input = '' as Input, isTTY = false } = {}): Promise<Ended> => {
  const written = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    Object.assign(new PassThrough(), { isTTY }).on('data', (chunk) => {
      written[name] += chunk;
    });
  const chunks = typeof input === 'string' || Buffer.isBuffer(input) ? [Buffer.from(input)] : input;
  const stdin = Object.assign(Readable.from(chunks), { isTTY });
  const streams = { stdin, stdout: collect('stdout'), stderr: collect('stderr') };
  const code = await runCommandLine(args, { ...streams, env: {} } as unknown as Surroundings);
  return { code, ...written };
};

describe('itemwright verify', () => {
  const { held } = fairnessVectors();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-verify-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Writes the published proof to a file, after a change. */
  const fileWith = async (change: (proof: TestProof) => void = () => {}): Promise<string> => {
    const { proof } = fairnessVectors();
    change(proof);
    const file = join(folder, 'proof.json');
    await writeFile(file, JSON.stringify(proof));
    return file;
  };
  const changeItem = (proof: TestProof): void => {
    (callOf(proof, 1, 3).results[4] as unknown[])[0] = 'dawn\u001b[31mblade\u202e';
  };

  test('says that a proof is sound, what was revealed, and what sealed means', async () => {
    const { code, stdout, stderr } = await run(['verify', await fileWith()]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^33 receipts of the player "p1" in the team "t1":\n {2}32 verified, 1 sealed, 0 failed\n\nServer seeds/,
    );
    assert.match(stdout, / {2}epoch 0: 000102[0-9a-f]+1f\n {2}epoch 1: 2021[0-9a-f]+3f\n\nRolls that were not made/);
    assert.match(stdout, /\n {2}end of epoch 0, the template "b": \w+ \(\w+\)\n/);
    assert.match(stdout, /\n {2}Of 2 such rolls, \d would have been of the best tier, and /);
    assert.match(stdout, /\n\nSealed means: nothing is wrong/);
    assert.match(stdout, /\n\nNothing is wrong with this proof\.\n$/);
    assert.doesNotMatch(stdout, /Failed|kept|Not shown/);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 120, line);
  });

  test('takes heads of the public log, as text or in a file, and names a fork', async () => {
    const { proof } = fairnessVectors();
    const leaves = [otherLeaf('ann'), ...leavesOf(proof), otherLeaf('bob')];
    const log = createTestLog(leaves);
    const file = await fileWith((one) => Object.assign(one, { log: log.of(one, leaves.length, 3) }));
    const { head } = log.signed(3);
    const sound = await run(['verify', file, '--head', `3 ${head.root}`]);
    assert.equal(sound.code, 0, sound.stdout);
    assert.match(sound.stdout, /The public log of rotations and manifests:\n {2}\d in it, 0 on the way\n/);
    const forked = createTestLog([otherLeaf('eve'), ...leaves.slice(1)]).signed(3);
    const kept = join(folder, 'head.json');
    await writeFile(kept, JSON.stringify(forked));
    const failed = await run(['verify', file, '--head', kept]);
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /The log forks: the head of 3 leaves that you kept/);
    assert.match(failed.stdout, /This proof is not sound/);
    const wrong = await run(['verify', file, '--head', 'nonsense']);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  });

  test('reads what the player kept from a file, and says what to keep', async () => {
    const file = await fileWith();
    const { toKeep } = JSON.parse((await run(['verify', file, '--json'])).stdout);
    assert.deepEqual([toKeep.kept, toKeep.receipts.length], [1, 2]);
    const kept = join(folder, 'kept.json');
    await writeFile(kept, JSON.stringify(toKeep));
    assert.equal((await run(['verify', kept, file])).code, 0);
    await writeFile(kept, JSON.stringify({ ...toKeep, receipts: ['f'.repeat(64)] }));
    const { code, stdout } = await run(['verify', file, kept]);
    assert.equal(code, 1);
    assert.match(stdout, /What you kept, but is not in this proof\. .*\n {2}receipt f{64}\n/);
    for (const [text, message] of [
      ['{"kept":1,"receipts":[1]}', /what you kept cannot be read: receipts\[0\] is not a hash/],
      ['{"kept":1}', /There is no proof among these files/],
    ] as const) {
      await writeFile(kept, text);
      const wrong = await run(['verify', kept]);
      assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
      assert.match(wrong.stderr, message);
    }
  });

  test('does not call it all right if rotations came before good rolls', async () => {
    const steered = playHistory({ options, items, templates: [banner] });
    steered.rotate('first');
    for (let epoch = 0; epoch < 12; epoch += 1) {
      do steered.roll('banner', { count: 1 });
      while (steered.foresee('banner')[0]?.[1] !== 'five');
      steered.rotate(`avoided ${epoch}`);
    }
    const { code, stdout } = await run(['verify', '-'], { input: JSON.stringify(steered.proof()) });
    assert.equal(code, 0);
    assert.match(stdout, /Of 12 such rolls, 12 would have been of the best tier/);
    assert.match(stdout, /\n\nNothing is wrong with these rolls, but look at those that were not made\.\n$/);
  });

  test('reads standard input', async () => {
    const { code, stdout } = await run(['verify', '-'], { input: JSON.stringify(fairnessVectors().proof) });
    assert.equal(code, 0);
    assert.match(stdout, /32 verified/);
  });

  test('names every failed receipt with its reasons, in a form that a terminal shows as it is', async () => {
    const { code, stdout, stderr } = await run(['verify', await fileWith(changeItem)]);
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(
      stdout,
      /30 verified, 1 sealed, 2 failed\n\nFailed:\n {2}roll #3 of epoch 1, the pity group "g", 2027-/,
    );
    assert.match(
      stdout,
      /\n {4}[0-9a-f]{64}\n {4}- item 5 should be "cap", but the receipt says "dawn\\u001b\[31mblade\\u202e"\n/,
    );
    assert.match(stdout, /\n {2}roll #4 of epoch 1, the pity group "g", .*\n.*\n {4}- it names another receipt as #3/);
    assert.match(stdout, /\n\nThis proof is not sound\.\n$/);
  });

  test('looks for the receipts that the player kept', async () => {
    const kept = held.flatMap((hash, index) => ['--receipt', index % 2 === 0 ? hash : ` ${hash.toUpperCase()} `]);
    assert.equal((await run(['verify', await fileWith(), ...kept])).code, 0);
    const file = await fileWith((proof) => {
      proof.receipts.pop();
    });
    assert.equal((await run(['verify', file])).code, 0);
    const { code, stdout } = await run(['verify', file, ...kept]);
    assert.equal(code, 1);
    const section = /\n\nWhat you kept, but is not in this proof\. .*\n((?: {2}receipt [0-9a-f]{64}\n)+)\n/.exec(
      stdout,
    );
    assert.equal(section?.[1]?.trim(), `receipt ${held.at(-1)}`);
    assert.match(stdout, /0 failed/);
    assert.match(stdout, /This proof is not sound\.\n$/);
  });

  test('says what a proof leaves out', async () => {
    const file = await fileWith((proof) => {
      proof.receipts = proof.receipts.filter(({ kind, epoch }) => epoch === 1 || (kind === 'rotate' && epoch === 2));
      proof.epoch = 1;
    });
    const { code, stdout } = await run(['verify', file]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /\n\nNot shown by this proof:\n {2}- The first counters of the pity group "g" come from rolls/,
    );
    assert.doesNotMatch(stdout, /Sealed/);
  });

  test('prints JSON for programs', async () => {
    const { code, stdout } = await run([
      'verify',
      await fileWith(changeItem),
      '--json',
      '--receipt',
      held[0] as string,
    ]);
    assert.equal(code, 1);
    const { receipts, ...rest } = JSON.parse(stdout);
    assert.deepEqual(rest, {
      isSound: false,
      teamId: 't1',
      userId: 'p1',
      counts: { verified: 30, sealed: 1, failed: 2 },
      seeds: rest.seeds,
      kept: [{ kind: 'receipt', value: held[0], isFound: true }],
      toKeep: { kept: 1, receipts: [held[0]], seeds: [], heads: [] },
      notes: [],
      log: null,
      notMade: rest.notMade,
      passedOver: rest.passedOver,
      lookalikes: [],
    });
    assert.deepEqual(receipts[0], {
      hash: held[0],
      kind: 'rotate',
      epoch: 0,
      at: '2027-03-01T10:00:01.000Z',
      status: 'verified',
      reasons: [],
    });
    const failed = receipts.filter(({ status }: { status: string }) => status === 'failed');
    assert.deepEqual(
      failed.map(({ scope, nonce, reasons }: Record<string, unknown>) => [scope, nonce, (reasons as string[]).length]),
      [
        ['group:g', 3, 2],
        ['group:g', 4, 1],
      ],
    );
    assert.deepEqual(JSON.parse((await run(['verify', '-', '--json'], { input: '[]' })).stdout), {
      error: 'This is not a proof that can be read: it is not an object.',
    });
  });

  test('ends with 2 if there is no proof to check', async () => {
    const large = join(folder, 'large');
    await writeFile(large, '');
    await truncate(large, 2 ** 40);
    for (const [args, input, message] of [
      [['-'], '', /^itemwright: This is not a proof that can be read: it is not JSON\.\n$/],
      [['-'], '{"v":2,"receipts":[]}', /snapshots is missing/],
      [['-'], Buffer.from([0xff, 0xfe, 0x7b, 0x00]), /it is not UTF-8/],
      [[join(folder, 'nothing')], '', /no such file/],
      [[folder], '', /is a directory\n$/],
      [[large], '', /is longer than 67,108,864 bytes\n$/],
      [[], '', /FILE is missing/],
      [['-', '--receipt', 'abc'], '', /--receipt must be a hash of 64 hexadecimal digits/],
    ] as const) {
      const { code, stdout, stderr } = await run(['verify', ...args], { input });
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, message);
    }
  });

  test('reads nothing without end, and waits for nobody', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [path, message] of [
      ['/dev/zero', '/dev/zero is not a regular file'],
      [pipe, `${pipe} is not a regular file`],
    ] as const)
      for (const command of ['verify', 'restore']) {
        const { stdout, stderr } = await run([command, path]);
        assert.deepEqual([stdout, stderr], ['', `itemwright: ${message}\n`], command);
      }
    const endless = createEndless();
    const { code, stderr } = await run(['verify', '-'], { input: endless.chunks });
    assert.deepEqual([code, stderr], [2, 'itemwright: standard input is longer than 67,108,864 bytes\n']);
    assert.ok(endless.bytesRead() < 100 * 1024 * 1024, 'it stops at the limit');
  });

  test('has no other options, and is explained', async () => {
    const { code, stderr } = await run(['verify', '-', '--team', 'a']);
    assert.equal(code, 1);
    assert.match(stderr, /^itemwright: unknown option '--team'\n/);
    const { stdout } = await run(['help', 'verify']);
    assert.match(
      stdout,
      /^Usage: itemwright verify FILE\.\.\. \[--receipt HASH\]\.\.\. \[--commitment HASH\] .*\n\nchecks a proof/,
    );
  });

  test('shows on a terminal how far it is, and in colour what it found', async () => {
    const { code, stdout, stderr } = await run(['verify', await fileWith()], { isTTY: true });
    assert.equal(code, 0);
    assert.ok(stderr.endsWith('\r\u001b[KChecking: 100%\r\u001b[K'));
    assert.ok(stdout.endsWith('\u001b[32mNothing is wrong with this proof.\u001b[0m\n'));
  });

  test('needs neither a database nor a service', async () => {
    const { code, stdout } = await runScript('src/cli.ts', ['verify', await fileWith()], { DATABASE_URL: 'nowhere' })
      .ended;
    assert.equal(code, 0);
    assert.match(stdout, /Nothing is wrong/);
  });
});
