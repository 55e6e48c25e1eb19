import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Draws } from '../../src/engine/random.ts';
import { countRolls } from '../../src/features/statistics/roll-counts.service.ts';
import { lookAtAll, recordAll } from '../chores.ts';
import { type Client, onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { cheapDraws } from '../statistics.ts';
import { axeFaults, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const TIERS = ['five', 'four', 'three'];
const BANNER = {
  ...{ baseRates: { five: 1, four: 9, three: 90 }, pityThreshold: 30, softPity: [{ from: 20, add: 0.08 }] },
  ...{ featuredItemIds: ['five-1'], featuredShare: 0.5 },
};
const CATALOG = {
  ...{ formatVersion: 1, merge: true, baseVersion: 0 },
  classifiers: [
    {
      ...{ id: 'rarity', name: 'Rarity' },
      classifierOptions: TIERS.map((id) => ({ id, name: `Tier ${id}`, dropRateMultiplier: null })),
    },
  ],
  items: TIERS.flatMap((tier) =>
    [1, 2, 3, 4].map((index) => ({
      ...{ id: `${tier}-${index}`, name: `Item ${tier} ${index}`, rollNumerator: 10 * index },
      classifierOptionIds: [tier],
    })),
  ),
  templates: [
    { id: 'banner', name: 'Banner', type: 'gacha', config: BANNER },
    { id: 'quiet', name: 'Quiet', type: 'gacha', config: {} },
  ],
};

const { SCREENSHOTS } = process.env;
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [1280, 380];

/** Draws that are a little too low, so that rarer tiers, which come first, are too frequent. */
const rigged = (seed: number): Draws => {
  const draws = cheapDraws(seed);
  return () => draws() ** 1.15;
};

const asText = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const card = (page: Page): Locator => page.getByRole('region', { name: 'Results against odds' });
const stream = (page: Page, name: RegExp): Locator => card(page).getByRole('button', { name });
const percent = (rate: number): string => (rate === 0 ? '0 %' : `${(rate * 100).toPrecision(3)} %`);

onEveryDatabase('evidence in the console', (service, engine) => {
  describe('in a browser', { skip: noBrowser }, () => {
    /** What does not depend on the database is tested on one of them. */
    const testOnce = engine === 'sqlite' ? test : () => undefined;
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
    });
    after(() => browser?.close());

    const teamWith = async (): Promise<Client> => {
      const team = await service().anotherTeam();
      assertDone(await team.post('/catalog/publish', CATALOG));
      await recordAll(service());
      return team;
    };
    const roll = async (team: Client, draws: Draws, calls: number): Promise<void> => {
      service().setDraws(draws);
      for (let call = 0; call < calls; call += 1)
        assertDone(await team.post('/templates/banner/roll', { userId: `user-${call % 4}`, count: 100 }));
      service().setDraws();
    };
    const evidenceOf = async (team: Client, query = '') =>
      assertDone(await team.get(`/roll-events/evidence${query}`)).body;
    const open = async (team: Client, path: string) => {
      const { page, context, complaints } = await openTab(browser, service().address);
      await signIn(page, service().address, team.teamId, team.secret);
      await page.evaluate(`history.pushState(null, '', '/console${path}')`);
      return { page, context, complaints };
    };
    const looksGood = async (page: Page, name: string): Promise<void> => {
      if (engine !== 'sqlite') return;
      for (const width of WIDTHS)
        for (const colorScheme of SCHEMES) {
          await page.setViewportSize({ width, height: 860 });
          await page.emulateMedia({ colorScheme });
          if (SCREENSHOTS)
            await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
          assert.deepEqual(await axeFaults(page), [], `${width} pixels wide, in ${colorScheme}`);
          const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          assert.equal(await page.evaluate<number>(beyond), 0, `${width} pixels wide, in ${colorScheme}`);
        }
    };

    test('says nothing against sound odds, and shows each row in the numbers of the API', async () => {
      const team = await teamWith();
      await roll(team, cheapDraws(4), 10);
      await lookAtAll(service());
      const { page, context, complaints } = await open(team, '/statistics');
      const banner = stream(page, /^Banner\b/);
      await banner.getByText('No evidence against the published odds').waitFor();
      assert.match(asText(await banner.innerText()), /1,000 items rolled since \w{3} \d+, \d{4}/);
      await card(page).getByText('No rolls yet: Plain rolls, Quiet.').waitFor();
      assert.equal(await card(page).getByText(/Alarm/).count(), 0);
      await banner.click();

      const [{ rows }] = await evidenceOf(team, '?templateId=banner');
      const table = card(page).getByRole('table', { name: 'Results of Banner' });
      const shown = (
        await table
          .locator('tbody tr')
          .filter({ has: page.locator('td') })
          .all()
      ).map(async (row) => (await row.getByRole('cell').allInnerTexts()).map(asText));
      const texts = await Promise.all(shown);
      for (const [kind, id, name] of [
        ['tier', 'five', 'Tier five'],
        ['tier', 'three', 'Tier three'],
        ['featured', null, 'Featured items'],
      ]) {
        const row = rows.find((one: { kind: string; id: string | null }) => one.kind === kind && one.id === id);
        assert.deepEqual(
          texts.find(([first]) => first === name)?.slice(1),
          [
            percent(row.expected / row.rolls),
            `${percent(row.hits / row.rolls)} ${row.hits.toLocaleString('en')} of ${row.rolls.toLocaleString('en')}`,
            `${percent(row.low)} to ${percent(row.high)}`,
            'none',
          ],
          name ?? '',
        );
      }
      // A tier has a second row for the rolls with raised odds.
      assert.equal(texts.filter(([first]) => first === 'Tier five').length, 2);
      await table.getByText('While pity raises the odds').waitFor();
      // Of the items, only the most conspicuous ones, until all are asked for.
      assert.equal(texts.filter(([first]) => first?.includes('Item ')).length, 5);
      await card(page).getByRole('button', { name: 'Show all 11 items' }).click();
      assert.equal(await table.getByText(/^Item /).count(), 11);

      await card(page).getByRole('button', { name: 'What does this mean?' }).click();
      await page.getByText('Looking more often does not raise that chance.').waitFor();
      await looksGood(page, 'evidence-sound');
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('tells some evidence from an alarm, and the row that it comes from', async () => {
      const team = await teamWith();
      await roll(team, cheapDraws(4), 5);
      const { page, context, complaints } = await open(team, '/');
      await page.getByRole('region', { name: 'Most dropped' }).getByText('Item three 4').waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      // Until there is some evidence, but no alarm.
      let found = { evidence: 0, greatest: 0, threshold: 0, rows: [] as { kind: string; evidence: number }[] };
      for (let call = 0; found.evidence < 10; call += 1) {
        await roll(team, rigged(call), 1);
        [found] = await evidenceOf(team, '?templateId=banner');
        assert.ok(call < 60 && found.evidence < found.threshold, String(found.evidence));
      }
      await lookAtAll(service());
      await page.evaluate("history.pushState(null, '', '/console/statistics')");
      await page.reload();
      const banner = stream(page, /^Banner\b/);
      await banner
        .getByText(`Evidence 1 : ${Math.floor(found.evidence)} against the published odds`, { exact: true })
        .waitFor();
      await card(page).getByText('No alarm; some evidence against 1 configuration.').waitFor();
      await banner.click();
      await card(page).getByText('The alarm is at 1 : 60').waitFor();
      await looksGood(page, 'evidence-some');

      await roll(team, rigged(100), 4);
      await lookAtAll(service());
      const [alarmed] = await evidenceOf(team, '?templateId=banner');
      assert.notEqual(alarmed.alarmedAt, null);
      await page.evaluate("history.pushState(null, '', '/console/')");
      await page.reload();
      const alert = page.getByRole('alert').filter({ hasText: 'Alarm: results of Banner do not fit the odds' });
      await alert.getByText(/^Evidence 1 : [\d,.]+( \w+)? against the published odds, since /).waitFor();
      await looksGood(page, 'overview-alarm');
      await page.setViewportSize({ width: 1280, height: 860 });
      await alert.getByRole('link', { name: 'See the results' }).click();
      // An alarm is open from the start.
      const told = card(page).getByRole('alert');
      await told.getByText(/^Alarm since .*: evidence 1 : /).waitFor();
      const worst = alarmed.rows.toSorted((a: { evidence: number }, b: typeof a) => b.evidence - a.evidence)[0];
      assert.equal(worst.kind, 'item');
      const name = `Item ${worst.id.replace('-', ' ')} within its tier`;
      assert.ok(
        asText(await told.innerText()).includes(
          `Most of it comes from ${name}: promised ${percent(worst.expected / worst.rolls)}, actual ${percent(worst.hits / worst.rolls)} of ${worst.rolls.toLocaleString('en')}.`,
        ),
        await told.innerText(),
      );
      await looksGood(page, 'evidence-alarm');
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('says so if something was rolled that cannot be', async () => {
      const team = await teamWith();
      await roll(team, cheapDraws(4), 1);
      await service().database.write(team.teamId, async (work) =>
        countRolls(work, {
          ...{ version: 1, templateId: 'banner', nowMs: Date.now() },
          rolled: [{ item: { id: 'stray' } }],
          observe: (observe) => {
            observe('t0', '2');
            observe('i2', 'stray');
          },
        }),
      );
      await lookAtAll(service());
      const { page, context } = await open(team, '/statistics');
      const told = card(page).getByRole('alert');
      await told.getByText(/: evidence 1 : more than 1 trillion against the published odds$/).waitFor();
      await told.getByText('Something was rolled whose odds are 0.').waitFor();
      await context.close();
    });

    testOnce('folds earlier configurations away, and names deleted templates', async () => {
      const team = await teamWith();
      await roll(team, cheapDraws(4), 1);
      assertDone(await team.put('/templates/banner', { config: { ...BANNER, pityThreshold: 40 } }));
      await roll(team, cheapDraws(5), 2);
      await recordAll(service());
      const { page, context } = await open(team, '/statistics');
      await stream(page, /^Banner 200 items rolled/).waitFor();
      assert.equal(
        await card(page)
          .getByRole('button', { name: /earlier configuration \d/ })
          .count(),
        0,
      );
      await card(page).getByRole('button', { name: 'Show 1 earlier configuration' }).click();
      await stream(page, /^Banner, an earlier configuration 100 items rolled/).waitFor();
      assertDone(await team.delete('/templates/banner'));
      await page.reload();
      await stream(page, /^banner \(deleted\)/)
        .first()
        .waitFor();
      await context.close();
    });

    testOnce('has words for an empty game and for a failure, and can be tried again', async () => {
      const team = await service().anotherTeam();
      const { page, context } = await open(team, '/statistics');
      await card(page).getByText('Nothing to compare yet').waitFor();
      await page.route('**/roll-events/evidence', (route) =>
        route.fulfill({ status: 500, json: { statusCode: 500, message: 'broken' } }),
      );
      await page.reload();
      const alert = card(page).getByRole('alert');
      await alert.getByText('broken').waitFor();
      await page.unroute('**/roll-events/evidence');
      await alert.getByRole('button', { name: 'Try again' }).click();
      await card(page).getByText('Nothing to compare yet').waitFor();
      await context.close();
    });
  });
});
