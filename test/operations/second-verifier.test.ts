/**
 * Ours is not the only verifier: `verifier/conformance.py` was written from the description of the format alone. Both must
 * say the same of every case of the conformance suite, and of proofs of players who have just rolled.
 * LIVE_PROOFS=1000 compares that many on each database.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Kept } from '../../src/engine/fairness/kept.ts';
import { seededDraws } from '../../src/shared/randomness.ts';
import { logAll } from '../chores.ts';
import { CONFORMANCE_SUITE, type Expected, expectedOf, readSuite } from '../conformance.ts';
import { isInstalled } from '../docs.ts';
import { type Client, onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { BANNER_CONFIG, rotateTo, startVerifiableTeam } from '../verifiable-team.ts';
import { checkedTexts } from '../verified.ts';

const LIVE_PROOFS = Number(process.env.LIVE_PROOFS ?? 70);
const CALLS_PER_EPOCH = 9;
const DAY_MS = 86_400_000;

const PYTHON_VERIFIER = fileURLToPath(new URL('../../verifier/conformance.py', import.meta.url));

const byPython = async (file: string): Promise<Expected[]> => {
  const { stdout } = await promisify(execFile)('python3', [PYTHON_VERIFIER, '--batch', file], { maxBuffer: 2 ** 30 });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { readable, sound, counts, statuses } = JSON.parse(line);
      return readable ? { readable, sound, counts, statuses } : { readable };
    });
};

/** A proof that is to be checked, or several that are one story. */
interface Story {
  readonly name: string;
  readonly files: readonly string[];
  readonly kept: Kept;
  readonly isSound: boolean;
}

const assertAgreement = async (stories: readonly Story[]): Promise<Expected[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-proofs-'));
  try {
    const file = join(folder, 'proofs.jsonl');
    await writeFile(file, stories.map((story) => `${JSON.stringify(story)}\n`).join(''));
    const theirs = await byPython(file);
    const ours = stories.map(({ files, kept }) => expectedOf(checkedTexts(files, kept)));
    assert.equal(theirs.length, ours.length);
    for (const [index, verdict] of ours.entries()) assert.deepEqual(theirs[index], verdict, stories[index]?.name);
    return ours;
  } finally {
    await rm(folder, { recursive: true });
  }
};

const skip = !isInstalled('python3') && 'there is no python3 here';

describe('the verifier in Python', { skip }, () => {
  test('agrees with every case of the conformance suite', async () => {
    const cases = await readSuite();
    const verdicts = await byPython(fileURLToPath(CONFORMANCE_SUITE));
    assert.equal(verdicts.length, cases.length);
    for (const [index, { name, expected }] of cases.entries()) assert.deepEqual(verdicts[index], expected, name);
  });
});

if (!skip)
  onEveryDatabase('live proofs', (service) => {
    const chance = seededDraws('live proofs', 'choices', 0, 0);
    const oneOf = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;

    /** Rolls on something; returns the hash of the receipt, or nothing if the player cannot pay for an exchange. */
    const call = async (team: Client, userId: string): Promise<string[]> => {
      const [path, body, mayFail = false] = oneOf([
        ['/templates/banner/roll', { count: 10 }],
        ['/templates/banner/roll', {}],
        ['/templates/second/roll', { count: 3 }],
        ['/templates/pack/roll', { count: 2 }],
        ['/templates/shrine/roll', { count: 2, depth: 3 }],
        ['/templates/chest/roll', {}],
        ['/items/roll', {}],
        ['/items/roll', { classifierOptionIds: ['three'] }],
        ['/templates/banner/spark', { itemId: 'sword' }, true],
      ] as [string, object, boolean?][]);
      const answer = await team.post(path, { userId, ...body });
      return mayFail && answer.status === 409 ? [] : [assertDone(answer).body.fairness.receipt];
    };

    /** An item of a roll is not what was drawn, in an epoch whose seed is known. */
    const tamperedWith = (text: string): string => {
      const proof = JSON.parse(text);
      const calls = (proof.receipts as { epoch: number; results?: string[][] }[]).flatMap(({ epoch, results }) =>
        epoch < 2 && results !== undefined && results.length > 0 ? [results] : [],
      );
      const [row] = oneOf(calls) as [string[]];
      row[0] = row[0] === 'cap' ? 'rope' : 'cap';
      return JSON.stringify(proof);
    };

    test('have the same verdicts from both', { timeout: 1_200_000 }, async () => {
      const team = await startVerifiableTeam(service());
      let nowMs = Date.parse('2027-06-01T00:00:00Z');
      const passes = (ms: number): void => {
        nowMs += ms;
        service().setClock(nowMs);
      };
      const stories: Story[] = [];
      for (let player = 0; stories.length < LIVE_PROOFS; player += 1) {
        const userId = `player ${player}`;
        const receipts: string[] = [];
        for (const clientSeed of ['one ☘', 'two', 'three']) {
          passes(oneOf([60_000, DAY_MS]));
          receipts.push((await rotateTo(team, userId, clientSeed)).rotation);
          for (let calls = 0; calls < CALLS_PER_EPOCH; calls += 1) {
            if (chance() < 0.2) passes(40 * 60_000);
            receipts.push(...(await call(team, userId)));
          }
          // Now and then the odds change, and later the pity group.
          const pityGroup = oneOf([{ pityGroup: 'g' }, {}]);
          if (chance() < 0.3)
            assertDone(await team.put('/templates/banner', { config: { ...BANNER_CONFIG, ...pityGroup } }));
        }
        await logAll(service(), () => nowMs);
        const proofOf = async (query: string): Promise<string> =>
          JSON.stringify(assertDone(await team.get(`/users/${encodeURIComponent(userId)}/proof?${query}`)).body);
        const [first, second, last] = [await proofOf('epoch=0'), await proofOf('epoch=1'), await proofOf('epoch=2')];
        const whole = await proofOf('epoch=all');
        const from = Math.floor(chance() * CALLS_PER_EPOCH);
        const story = (name: string, isSound: boolean, files: readonly string[], kept: Kept = {}): Story => ({
          name: `${userId}: ${name}`,
          ...{ files, kept, isSound },
        });
        stories.push(
          story('first epoch', true, [first]),
          story('from the middle', true, [await proofOf(`epoch=1&from=${from}`)]),
          story('epochs as one story', true, [second, first, last], { receipts }),
          story('the whole', true, [whole], { receipts }),
          story('without an epoch', false, [first, last], { receipts }),
          story('tampered with', false, [tamperedWith(oneOf([first, second, whole]))]),
          story('another receipt was kept', false, [whole], { receipts: ['ab'.repeat(32)] }),
        );
      }
      const compared = stories.slice(0, LIVE_PROOFS);
      const verdicts = await assertAgreement(compared);
      // What nobody tampered with is sound, unless an epoch or a receipt is missing.
      for (const [index, { name, isSound }] of compared.entries())
        assert.equal(verdicts[index]?.readable === true && verdicts[index].sound, isSound, name);
    });
  });
