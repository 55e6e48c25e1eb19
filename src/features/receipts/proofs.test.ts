import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiResponse, type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone } from '../../../test/rules.ts';
import { BANNER_CONFIG, rotateTo, startVerifiableTeam } from '../../../test/verifiable-team.ts';
import { verified } from '../../../test/verified.ts';
import type { Verification } from '../../engine/fairness/verify.ts';

interface Listed {
  readonly hash: string;
  readonly receipt: { readonly kind: string };
}

const failuresOf = ({ receipts, kept }: Verification) => [
  ...receipts.filter(({ status }) => status === 'failed').map(({ receipt, reasons }) => ({ receipt, reasons })),
  ...kept.filter(({ isFound }) => !isFound),
];

onEveryDatabase('proofs that the service gives', (service) => {
  const startTeam = (): Promise<Client> => startVerifiableTeam(service());

  /** A player who rolls on everything, and keeps all receipts. */
  const play = async (team: Client, kept: string[], nowMs: number): Promise<void> => {
    const roll = async (path: string, body: object = {}): Promise<void> => {
      kept.push(assertDone(await team.post(path, { userId: 'p', ...body })).body.fairness.receipt);
    };
    await roll('/templates/banner/roll', { count: 10 });
    await roll('/templates/second/roll', { count: 3 });
    await roll('/templates/banner/spark', { itemId: 'sword' });
    await roll('/templates/banner/roll');
    await roll('/templates/pack/roll', { count: 5 });
    await roll('/templates/shrine/roll', { count: 2, depth: 3 });
    await roll('/templates/shrine/roll');
    await roll('/templates/chest/roll');
    service().setClock(nowMs + 90 * 60_000);
    await roll('/templates/chest/roll');
    await roll('/items/roll');
    await roll('/items/roll', { classifierOptionIds: ['three'] });
  };

  test('are verified, epoch by epoch and all at once, and name what was changed', async () => {
    const team = await startTeam();
    const kept: string[] = [];
    const rotate = async (clientSeed: string): Promise<void> => {
      kept.push((await rotateTo(team, 'p', clientSeed)).rotation);
    };
    const startMs = Date.parse('2027-06-01T00:00:00Z');
    service().setClock(startMs);
    await rotate('one ☘');
    await play(team, kept, startMs);
    assertDone(await team.put('/templates/banner', { config: BANNER_CONFIG }));
    await rotate('two');
    await play(team, kept, startMs + 86_400_000);
    assertDone(await team.put('/templates/banner', { config: { ...BANNER_CONFIG, pityGroup: 'g' } }));
    assertDone(await team.put('/items/torch', { rollNumerator: 7 }));
    await rotate('three');
    await play(team, kept, startMs + 2 * 86_400_000);

    const listed = assertDone(await team.get('/users/p/receipts?limit=1000')).body as Listed[];
    assert.deepEqual(new Set(listed.map(({ hash }) => hash)), new Set(kept));
    const snapshots: Record<string, string> = {};
    for (const [epoch, counts] of [
      { verified: 13, sealed: 0, failed: 0 },
      // With what came right before: a rotation, and the last rolls on five templates; the next epoch is not over.
      { verified: 19, sealed: 0, failed: 0 },
      { verified: 7, sealed: 11, failed: 0 },
    ].entries()) {
      const proof = assertDone(await team.get(`/users/p/proof?epoch=${epoch}`)).body;
      const verification = verified(proof, { receipts: kept.slice(12 * epoch, 12 * (epoch + 1)) });
      assert.deepEqual(failuresOf(verification), []);
      assert.deepEqual(verification.counts, counts);
      Object.assign(snapshots, proof.snapshots);
      const part = assertDone(await team.get(`/users/p/proof?epoch=${epoch}&from=6`)).body;
      assert.deepEqual(failuresOf(verified(part)), []);
    }

    const whole = verified({ v: 2, receipts: listed, snapshots }, { receipts: kept });
    assert.deepEqual(failuresOf(whole), []);
    assert.deepEqual(whole.counts, { verified: 25, sealed: 11, failed: 0 });
    assert.deepEqual(whole.notes, [], 'all counters follow from the first roll');

    const proof = assertDone(await team.get('/users/p/proof?epoch=0')).body;
    const spark = proof.receipts.find(({ kind }: { kind: string }) => kind === 'spark');
    spark.results[0][4][0] += 0.1;
    const [failure] = failuresOf(verified(proof)) as { readonly reasons?: readonly string[] }[];
    assert.match(
      failure?.reasons?.join() ?? '',
      /the values of item 1, "The sword", should be \d+(\.\d)?, but the receipt says/,
    );
  });

  const listPages = async (team: Client, limit: number): Promise<Listed[]> => {
    const listed: Listed[] = [];
    for (let path: string | undefined = `/users/p/receipts?limit=${limit}`; path !== undefined; ) {
      const page: ApiResponse = assertDone(await team.get(path));
      assert.ok(page.body.length <= limit);
      listed.push(...page.body);
      path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    return listed;
  };

  test('have the same receipts wherever they begin, and however receipts are stored', async () => {
    const team = await startTeam();
    const hashes = [(await rotateTo(team, 'p', 'one')).rotation as string];
    // Many on one template share a row, a long one fills one, and the last ones have no row yet.
    const templates = [
      ...Array(20).fill('banner'),
      ...[
        'second',
        'banner',
        'pack',
        'second',
        'second',
        'shrine',
        'long',
        'banner',
        'chest',
        'shrine',
        'plain',
        'plain',
      ],
      ...Array(5).fill('pack'),
    ];
    const roll = async (template: string): Promise<void> => {
      const [path, count] = template === 'long' ? ['/templates/pack/roll', 50] : [`/templates/${template}/roll`, 1];
      const body = template === 'chest' || template === 'plain' ? {} : { count };
      const answer = await team.post(template === 'plain' ? '/items/roll' : path, { userId: 'p', ...body });
      hashes.push(assertDone(answer).body.fairness.receipt);
    };
    for (const template of templates) await roll(template);
    for (const limit of [1, 3, 16, 1000])
      assert.deepEqual(
        (await listPages(team, limit)).map(({ hash }) => hash),
        hashes,
      );
    const events = assertDone(await team.get('/roll-events?limit=100')).body as { fairness?: { receipt: string } }[];
    // The first call of an idle template gives nothing, so it is not in the log.
    const chest = 1 + templates.indexOf('chest');
    assert.deepEqual(
      new Set(events.map(({ fairness }) => fairness?.receipt)),
      new Set(hashes.filter((_, index) => index > 0 && index !== chest)),
    );

    const last: string = (await rotateTo(team, 'p', 'two')).rotation;
    for (const [from] of templates.entries()) {
      const proof = assertDone(await team.get(`/users/p/proof?epoch=0&from=${from}`)).body;
      const story = verified(proof, { receipts: [hashes[0] as string, ...hashes.slice(from + 1), last] });
      assert.deepEqual(failuresOf(story), [], `from ${from}`);
      assert.equal(story.isSound, true);
    }
    assert.deepEqual(
      (await listPages(team, 7)).map(({ hash }) => hash),
      [...hashes, last],
    );
  });

  test('are sound while the player rolls', async () => {
    const team = await startTeam();
    await rotateTo(team, 'p', 'one');
    const roll = async (n: number): Promise<void> => {
      assertDone(await team.post(`/templates/${n % 3 === 0 ? 'pack' : 'banner'}/roll`, { userId: 'p' }));
    };
    for (let n = 0; n < 60; n += 1) await roll(n);
    const proofs: unknown[] = [];
    const rolling = (async () => {
      for (let n = 0; n < 60; n += 1) await roll(n);
    })();
    const reading = (async () => {
      for (let n = 0; n < 6; n += 1) {
        proofs.push(assertDone(await team.get('/users/p/proof?epoch=all')).body);
        proofs.push(assertDone(await team.get('/users/p/proof?from=30')).body);
      }
    })();
    await Promise.all([rolling, reading]);
    for (const proof of proofs) {
      const { isSound, counts } = verified(proof);
      assert.ok(isSound);
      assert.ok(counts.sealed >= 30, `${counts.sealed}`);
    }
    const all = verified(assertDone(await team.get('/users/p/proof?epoch=all')).body);
    assert.deepEqual([all.isSound, all.counts.sealed], [true, 120]);
  });
});
