import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { CONFIGS } from '../../src/catalog/configs.ts';
import { assertTrimmed, blocksOf, isInstalled, readPage } from '../docs.ts';
import { type ApiResponse, onEveryDatabase, type Service } from '../harness.ts';

/**
 * Runs the page for game designers: its shell lines as written, then what it says about each system. Figures and
 * configurations are taken from the page, so that it cannot become outdated.
 */
const page = readPage('docs/guides/rolls.md');

const samples = blocksOf(page, 'json').map((text) => JSON.parse(text));

/** The cells of every row of the tables whose first line starts with `head`. */
const rowsBelow = (head: string): string[][] => {
  const [, body = ''] = page.split(`\n${head}`, 2);
  assert.notEqual(body, '', `the page has no table that begins with ${head}`);
  const [, , ...rows] = (body.split('\n\n', 1)[0] as string).split('\n');
  return rows.map((row) => row.slice(1, -1).split(' | ')).map((cells) => cells.map((cell) => cell.trim()));
};

/** The text between a heading and the next one of its level or above. */
const section = (heading: string): string => {
  const [level = ''] = heading.split(' ', 1);
  const from = page.indexOf(`\n${heading}\n`);
  assert.notEqual(from, -1, `the page has no heading ${heading}`);
  const rest = page.slice(from + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, 'm'));
  return end === -1 ? rest : rest.slice(0, end);
};

const percent = (share: number, decimals: number): string => `${(100 * share).toFixed(decimals)} %`;

/** Runs every shell block in one shell, in order; stops at the first failing line. */
const paste = ({ address, teamId, secret }: Service): Promise<{ stdout: string }> => {
  const strict = 'set -e -o pipefail\ncurl() { command curl -sS --fail "$@" && echo; }\n';
  return promisify(execFile)('bash', ['-c', `${strict}${blocksOf(page, 'sh').join('')}`], {
    env: { PATH: process.env.PATH, ITEMWRIGHT_URL: address, ITEMWRIGHT_CREDENTIALS: `${teamId}:${secret}` },
  });
};

/** The normal deviate that is exceeded, on either side, once in ten thousand times. */
const DEVIATE = 3.89;
const HOUR_MS = 3_600_000;

interface Rolled {
  readonly item: { readonly id: string };
  readonly tier: string;
  readonly pity: boolean;
  readonly featured: boolean;
}

const missing = isInstalled('bash', 'curl') ? false : 'there is no bash or no curl here to paste the page into';

if (missing !== false) test('the page on rolls', { skip: missing }, () => {});
else
  onEveryDatabase('the page on rolls', (service) => {
    let stdout = '';
    const tiers: Record<string, string> = {};
    before(async () => {
      ({ stdout } = await paste(service()));
      const { body } = await service().get('/classifiers/rarity');
      for (const { id, name } of body.classifierOptions) tiers[name] = id;
    });

    const roll = async (id: string, body: object): Promise<ApiResponse> => {
      const answer = await service().post(`/templates/${id}/roll`, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer;
    };
    const odds = async (id: string) => (await service().get(`/templates/${id}/odds`)).body;
    const configOf = async (id: string) => (await service().get(`/templates/${id}`)).body.config;
    const save = async (id: string, type: string, config: object): Promise<void> => {
      const { status, body } = await service().post('/templates', { id, name: id, type, config });
      assert.equal(status, 200, JSON.stringify(body));
    };
    const sampleOf = (templateId: string) => samples.find((sample) => sample.templateId === templateId);

    test('can be pasted as written, and creates sixteen items and the five templates', async () => {
      assert.equal(stdout.match(/^\w+ 200$/gm)?.length, 16);
      const { body } = await service().get('/templates');
      assert.deepEqual(
        body.map(({ id, type }: { id: string; type: string }) => [id, type]),
        [
          ['banner', 'gacha'],
          ['spark-banner', 'gacha'],
          ['pack', 'card_pack'],
          ['shrine', 'roguelike'],
          ['chest', 'idle'],
        ],
      );
      const owned = (await service().get('/item-instances?userId=player-1')).body;
      assert.equal(owned.length, 6, 'the exchanged item and five cards');
    });

    test('explains every member of every type, and every member of states and odds', async () => {
      const everyType = section('### Members of all four types');
      const sections = {
        gacha: section('## Gacha'),
        card_pack: section('## Card packs'),
        roguelike: section('## Roguelike offers'),
        idle: section('## Idle') + section('## Gacha'),
      };
      const explains = (text: string, member: string) => new RegExp(`^\\| [^|]*\`${member}\``, 'm').test(text);
      for (const type of ['gacha', 'card_pack', 'roguelike', 'idle'] as const)
        for (const member of Object.keys(CONFIGS[type].properties))
          assert.ok(explains(everyType + sections[type], member), `${member} of ${type} is not explained`);
      const { body } = await service().get('/users/player-1/templates/banner');
      for (const member of Object.keys(body).filter((name) => !name.endsWith('Id')))
        assert.ok(explains(section("## A player's state on a template"), member), `${member} is not explained`);
      const { tiers: rows, curve } = await odds('banner');
      const { tier: _, name: __, ...row } = rows[0];
      for (const member of Object.keys({ ...row, ...curve[0] }))
        assert.ok(explains(section('## Odds'), member), `${member} of odds`);
      assert.ok(section('## Odds').includes(`it is ${curve[75].chance.toFixed(3)} by roll 76.`));
    });

    for (const id of ['banner', 'spark-banner', 'pack', 'shrine', 'chest'])
      test(`states the odds of ${id}`, async () => {
        const answer = await odds(id);
        const rows = [...answer.tiers, ...answer.items.filter(({ featured }: { featured: boolean }) => featured)].map(
          (row) => [
            row.name ?? row.itemName,
            percent(row.base, 3),
            percent(row.effective, 3),
            row.expectedRolls.toFixed(1),
            String(row.medianRolls),
            String(row.worstRolls ?? 'none'),
          ],
        );
        assert.deepEqual(rowsBelow(`| \`${id}\` | base | effective |`), rows);
      });

    test('has a banner with the known odds', async () => {
      const { tiers: rows, items } = await odds('banner');
      const dawnblade = items.find(({ itemId }: { itemId: string }) => itemId === 'dawnblade');
      assert.ok(Math.abs(rows[0].effective - 0.0160520518) < 1e-10);
      assert.ok(Math.abs(rows[0].expectedRolls - 62.297332) < 1e-6);
      assert.deepEqual([rows[0].medianRolls, rows[0].worstRolls], [76, 90]);
      assert.ok(Math.abs(dawnblade.expectedRolls - 93.445998) < 1e-6);
      assert.deepEqual([dawnblade.medianRolls, dawnblade.worstRolls], [80, 180]);
    });

    test('has a banner that keeps its pity and its guarantee, and states the rate of the next roll', async () => {
      const { softPity, baseRates, pityThreshold } = await configOf('banner');
      let since = 0;
      let losses = 0;
      for (let call = 0; call < 100; call += 1) {
        const { body } = await roll('banner', { userId: 'patient', count: 25 });
        for (const { tier, pity, featured, item } of body.rolls as Rolled[]) {
          since += 1;
          assert.ok(since <= pityThreshold);
          assert.equal(pity, tier === tiers.legendary && since === pityThreshold);
          assert.equal(featured, item.id === 'dawnblade');
          if (tier !== tiers.legendary) continue;
          since = 0;
          assert.ok(losses === 0 || featured, 'a guarantee was not kept');
          losses = featured ? 0 : losses + 1;
        }
        const { state } = body;
        assert.deepEqual(
          [state.rolls, state.sinceTop, state.losses, state.sparkPoints],
          [25 * (call + 1), since, losses, 25 * (call + 1)],
        );
        const grown = softPity[0].add * Math.max(0, since + 1 - softPity[0].from + 1);
        const rate = since + 1 >= pityThreshold ? 1 : Math.min(1, baseRates.legendary + grown);
        assert.equal(state.next[0].tier, tiers.legendary);
        assert.ok(Math.abs(state.next[0].rate - rate) < 1e-12);
      }
    });

    test('states the effect of a second pity', async () => {
      const config = await configOf('banner');
      const [more] = samples.filter((sample) => 'pities' in sample);
      await save('second-pity', 'gacha', { ...config, ...more });
      const [legendary, rare] = (await odds('second-pity')).tiers;
      assert.ok(Math.abs(legendary.effective - (await odds('banner')).tiers[0].effective) < 1e-12);
      assert.ok(page.includes(`rare rises to ${percent(rare.effective, 3)}`));
    });

    test('shows real responses, trimmed', async () => {
      for (const id of ['banner', 'pack'])
        assertTrimmed(sampleOf(id), (await roll(id, { userId: 'reader', grant: true })).body, id);
      assertTrimmed(sampleOf('chest'), (await roll('chest', { userId: 'reader' })).body, 'chest');
      assert.deepEqual(sampleOf('chest').rolls, []);
    });

    test('has a banner whose spark can be used after 200 rolls, and not before', async () => {
      const spark = () => service().post('/templates/spark-banner/spark', { userId: 'saver', itemId: 'dawnblade' });
      await roll('spark-banner', { userId: 'saver', count: 100 });
      await roll('spark-banner', { userId: 'saver', count: 99 });
      assert.equal((await spark()).status, 409);
      await roll('spark-banner', { userId: 'saver' });
      const { status, body } = await spark();
      assert.equal(status, 200);
      assert.deepEqual([body.state.rolls, body.state.sparkPoints], [200, 0]);
      assertTrimmed(sampleOf('spark-banner'), body, 'spark');
      assert.equal((await spark()).status, 409);
      const other = await service().post('/templates/spark-banner/spark', { userId: 'saver', itemId: 'sunspear' });
      assert.equal(other.status, 400);

      const dawnblade = (await odds('spark-banner')).items.find(({ featured }: { featured: boolean }) => featured);
      const within = 1 - (1 - dawnblade.effective) ** 200;
      assert.ok(section('### A 3 % banner with a spark').includes(`with a chance of ${percent(within, 2)};`));
    });

    test('has packs of five different cards with a rare one, and a legendary one in ten packs at the latest', async () => {
      const fresh = (await roll('pack', {})).body;
      assert.equal(fresh.rolls.length, 5);
      await service().post('/users', { id: 'fresh' });
      const { next } = (await service().get('/users/fresh/templates/pack')).body;
      assert.ok(
        section('### A five-card pack with a guaranteed rare').includes(`${percent(next[0].rate, 2)} (\`next\``),
      );

      const { body } = await roll('pack', { userId: 'collector', count: 100 });
      let since = 0;
      for (let pack = 0; pack < 100; pack += 1) {
        const cards: Rolled[] = body.rolls.slice(5 * pack, 5 * pack + 5);
        assert.equal(new Set(cards.map(({ item }) => item.id)).size, 5);
        assert.notEqual(cards[4]?.tier, tiers.common);
        since = cards.some(({ tier }) => tier === tiers.legendary) ? 0 : since + 1;
        assert.ok(since < 10);
      }
      assert.deepEqual([body.state.rolls, body.state.sinceTop], [100, since]);
      assert.equal((await service().get('/roll-events/stats?templateId=pack')).body.totalRolls % 5, 0);
    });

    test('has offers that anyone can reproduce with the seed', async () => {
      for (const [seed = '', depth, offer, choices] of rowsBelow('| seed | depth | offer | choices |')) {
        const request = { seed: seed.replaceAll('`', ''), depth: Number(depth), offer: Number(offer) };
        for (const body of [request, { ...request, userId: 'player-1' }]) {
          const answer = await roll('shrine', body);
          assert.equal(answer.body.rolls.map(({ item }: Rolled) => item.id).join(', '), choices);
        }
      }
      assert.equal((await service().get('/users/player-1/templates/shrine')).body.rolls, 0);
    });

    test('has offers that get better with depth, as stated', async () => {
      const { depthScaling, ...config } = await configOf('shrine');
      const rows = rowsBelow('| depth | holds a legendary | holds a rare | holds a common |');
      const chances: number[] = [];
      for (const [depth = '', ...told] of rows) {
        // At a depth, offers are those of a template with scaled rates.
        const baseRates: Record<string, number> = { ...config.baseRates };
        for (const [tier, factor] of Object.entries(depthScaling as Record<string, number>))
          for (let step = 0; step < Number(depth); step += 1) baseRates[tier] = (baseRates[tier] ?? 0) * factor;
        await save(`shrine-${depth}`, 'roguelike', { ...config, baseRates });
        const { next } = (await service().get(`/users/player-1/templates/shrine-${depth}`)).body;
        const chanceOf = (tier: string): number => next.find((row: { tier: string }) => row.tier === tiers[tier]).rate;
        assert.deepEqual(
          told,
          ['legendary', 'rare', 'common'].map((tier) => percent(chanceOf(tier), 2)),
        );
        chances.push(chanceOf('legendary'));
      }
      assert.deepEqual(
        chances,
        chances.toSorted((left, right) => left - right),
      );

      // Seeded offers at the first and the last depth: the same offers on every run of this test.
      const offers = 2000;
      for (const place of [0, rows.length - 1]) {
        let holding = 0;
        for (let offer = 0; offer < offers; offer += 100) {
          const depth = Number(rows[place]?.[0]);
          const { body } = await roll('shrine', { seed: 'counted', depth, offer, count: 100 });
          for (let first = 0; first < 300; first += 3) {
            const choices: Rolled[] = body.rolls.slice(first, first + 3);
            assert.equal(new Set(choices.map(({ item }) => item.id)).size, 3);
            if (choices.some(({ tier }) => tier === tiers.legendary)) holding += 1;
          }
        }
        const chance = chances[place] as number;
        const deviation = Math.sqrt(offers * chance * (1 - chance));
        assert.ok(Math.abs(holding - offers * chance) < DEVIATE * deviation, `${holding} of ${offers} at ${chance}`);
      }
    });

    test('has a chest that fills over time', async () => {
      const start = Date.UTC(2027, 0, 1);
      const claimAfter = async (hours: number) => {
        service().setClock(start + hours * HOUR_MS);
        return (await roll('chest', { userId: 'sleeper' })).body.rolls.length;
      };
      try {
        assert.equal(await claimAfter(0), 0);
        service().setClock(start + 0.25 * HOUR_MS);
        assert.equal((await service().get('/users/sleeper/templates/chest')).body.accruedRolls, 1);
        assert.equal(await claimAfter(0.25), 1);
        assert.equal(await claimAfter(0.25), 0);
        assert.equal(await claimAfter(10.25), 40);
        assert.equal(await claimAfter(10.25 + 7 * 24), 48);
        assert.equal((await service().get('/users/sleeper/templates/chest')).body.rolls, 89);
      } finally {
        service().setClock(Date.now());
      }
    });

    test('shows an actual error', async () => {
      const shown = samples.find((sample) => 'issues' in sample);
      const { body } = await service().post('/templates', { name: 'Epic', config: { baseRates: { epic: 1 } } });
      assert.deepEqual(body, shown);
    });
  });
