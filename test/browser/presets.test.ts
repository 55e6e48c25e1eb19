import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const RARITIES = ['Common', 'Rare', 'Epic', 'Legendary'];
const CATALOG = {
  formatVersion: 1,
  merge: true,
  baseVersion: 0,
  classifiers: [
    {
      id: 'slot',
      name: 'Slot',
      classifierOptions: [
        { id: 'head', name: 'Head' },
        { id: 'hand', name: 'Hand' },
      ],
    },
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: RARITIES.map((name, rank) => ({
        id: name.toLowerCase(),
        name,
        dropRateMultiplier: 10 ** -rank,
      })),
    },
  ],
  items: RARITIES.flatMap((name) =>
    [1, 2, 3, 4].map((number) => ({
      id: `${name.toLowerCase()}-${number}`,
      name: `${name} ${number}`,
      classifierOptionIds: [name.toLowerCase(), number % 2 === 0 ? 'head' : 'hand'],
    })),
  ),
};

const PRESETS: Record<string, string> = {
  '90-pity with 50/50': 'Legendary',
  'Weapon banner': 'Legendary',
  '200 spark': 'Legendary',
  'Five cards, one rare': 'Legendary',
  'Depth-scaled offer': 'Legendary',
  'Idle chest': 'Legendary',
};

const { SCREENSHOTS } = process.env;

onEveryDatabase('presets of templates in the console', (service, engine) => {
  describe('in a browser', { skip: noBrowser }, () => {
    const testOnce = engine === 'sqlite' ? test : () => undefined;
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
    });
    after(() => browser?.close());

    const start = async (options: object = {}) => {
      const team = await service().anotherTeam();
      assertDone(await team.post('/catalog/publish', CATALOG));
      const { page, context, complaints } = await openTab(browser, service().address, options);
      await signIn(page, service().address, team.teamId, team.secret, 'draft');
      return { team, page, context, complaints };
    };

    test('are valid on the tiers of the team, in one click, and ten can be opened of each', async () => {
      const { team, page, context, complaints } = await start();
      await goTo(page, 'Templates');
      await page.getByRole('link', { name: 'New template' }).first().click();
      for (const [name, top] of Object.entries(PRESETS)) {
        await page.getByRole('group', { name: 'Presets' }).getByRole('button', { name }).click();
        await page.getByRole('tab', { name: 'Odds' }).click();
        const odds = page.getByRole('region', { name: 'Odds of the tiers' });
        await odds.getByText(top).first().waitFor();
        assert.equal(await page.getByRole('alert').count(), 0, name);
        assert.equal(await page.getByText('Is this what you mean?').count(), 0, name);
        await page.getByRole('tab', { name: 'Open ten' }).click();
        const ten = page.getByRole('region', { name: /^Ten / });
        await ten.getByRole('button', { name: 'Open ten' }).click();
        await ten.getByRole('button', { name: 'Open ten more' }).waitFor();
        const cards = await ten.locator('.mantine-Card-root').count();
        const each = name === 'Five cards, one rare' ? 5 : name === 'Depth-scaled offer' ? 3 : 1;
        assert.equal(cards, 10 * each, name);
        if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/preset ${name.replace('/', '-')}.png` });
      }
      assert.equal(assertDone(await team.get('/roll-events/stats')).body.totalRolls, 0);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('are saved as they are shown', async () => {
      const { team, page, context } = await start();
      await page.evaluate("history.pushState(null, '', '/console/new-template')");
      await page.getByRole('group', { name: 'Presets' }).getByRole('button', { name: '90-pity' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Dawn');
      await page.getByText('Its id will be dawn.').waitFor();
      await page.getByRole('button', { name: 'Create template' }).click();
      await page.getByText('Dawn saved in the draft').waitFor();
      const [draft] = assertDone(await team.get('/catalog/drafts')).body;
      const { changes } = assertDone(await team.get(`/catalog/drafts/${draft.id}`)).body;
      assert.deepEqual(changes[0].after.config, {
        baseRates: { common: 62.8667, rare: 31.4333, epic: 5.1, legendary: 0.6 },
        pityThreshold: 90,
        softPity: [{ from: 74, add: 0.06 }],
        pities: [{ tier: 'epic', threshold: 10 }],
        featuredItemIds: ['legendary-1'],
        featuredShare: 0.5,
        guaranteeAfterLosses: 1,
      });
      await context.close();
    });

    testOnce('are accessible in dark and on a narrow screen, with ten open', async () => {
      for (const options of [{ scheme: 'dark' }, { width: 390 }] as const) {
        const { page, context } = await start(options);
        await page.evaluate("history.pushState(null, '', '/console/new-template')");
        await page.getByRole('group', { name: 'Presets' }).getByRole('button', { name: 'Weapon banner' }).click();
        await page.getByRole('tab', { name: 'Open ten' }).click();
        await page.getByRole('button', { name: 'Open ten' }).click();
        await page.getByRole('button', { name: 'Open ten more' }).waitFor();
        assert.deepEqual(await axeFaults(page), []);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= (('width' in options && options.width) || 1280), `${width}`);
        if (SCREENSHOTS)
          await page.screenshot({ path: `${SCREENSHOTS}/ten-${JSON.stringify(options).length}.png`, fullPage: true });
        await context.close();
      }
    });
  });
});
