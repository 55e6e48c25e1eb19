import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { applyNow, axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const CATALOG = {
  formatVersion: 1,
  merge: true,
  classifiers: [
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: [
        { id: 'common', name: 'Common', dropRateMultiplier: 1 },
        { id: 'epic', name: 'Epic', dropRateMultiplier: 0.1 },
      ],
    },
  ],
  items: [
    { id: 'stick', name: 'Stick', classifierOptionIds: ['common'] },
    { id: 'twig', name: 'Twig', classifierOptionIds: ['common'] },
    { id: 'sword', name: 'Sword', classifierOptionIds: ['epic'] },
  ],
  templates: [{ id: 'banner', name: 'Banner', type: 'gacha', config: { baseRates: { common: 0.9, epic: 0.1 } } }],
};

const { SCREENSHOTS } = process.env;

/** Types as a person does, key by key. */
const typeInto = async (field: Locator, text: string): Promise<void> => {
  await field.fill('');
  await field.pressSequentially(text);
};

onEveryDatabase('typed numbers in the console', (service) => {
  describe('in a browser', { skip: noBrowser }, () => {
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
    });
    after(() => browser?.close());

    const start = async () => {
      const team = await service().anotherTeam();
      assertDone(await team.post('/catalog/publish', { ...CATALOG, baseVersion: 0 }));
      const { page, context } = await openTab(browser, service().address);
      await signIn(page, service().address, team.teamId, team.secret);
      return { team, page, context };
    };

    test('stay as they were typed, and are not saved if they are none or out of range', async () => {
      const { team, page, context } = await start();
      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'Stick' }).click();
      const weight = page.getByLabel('Base weight');
      const save = page.getByRole('button', { name: 'Save', exact: true });
      for (const typed of ['-5', 'abc', '12x', '1,00', '1e999', '--1', '.']) {
        await typeInto(weight, typed);
        assert.equal(await weight.inputValue(), typed);
        await page.getByText('Enter a number of at least 0').waitFor();
        await save.click();
        assert.equal(await weight.inputValue(), typed);
        assert.equal(await weight.evaluate((input) => input === document.activeElement), true);
        assert.equal(await page.getByRole('dialog').count(), 0);
      }
      assert.deepEqual(await axeFaults(page), []);
      if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/number.png` });
      const width = page.getByLabel('Width', { exact: true });
      await typeInto(width, '2.5');
      await page.getByText('Enter a whole number from 1 to 20').waitFor();
      await typeInto(width, '2');
      await width.press('ArrowUp');
      assert.equal(await width.inputValue(), '3');
      for (const [typed, saved] of [
        ['1e3', 1000],
        ['1,200', 1200],
        ['.5', 0.5],
        ['0', 0],
      ] as const) {
        await typeInto(weight, typed);
        assert.equal(await weight.inputValue(), typed);
        await save.click();
        await applyNow(page);
        await page.getByRole('heading', { level: 1, name: 'Items' }).waitFor();
        assert.equal(assertDone(await team.get('/items/stick')).body.rollNumerator, saved);
        await page.getByRole('link', { name: 'Stick' }).click();
        assert.equal(await weight.inputValue(), String(saved));
      }
      await context.close();
    });

    test('in a multiplier, a rate, a depth and a simulation', async () => {
      const { team, page, context } = await start();
      await goTo(page, 'Classifiers');
      const multiplier = page.getByLabel('Multiplier of Epic');
      assert.equal(await multiplier.inputValue(), '0.1');
      for (const typed of ['-1', 'x']) {
        await typeInto(multiplier, typed);
        await multiplier.press('Enter');
        assert.equal(await multiplier.inputValue(), typed);
        await page.getByText('Enter a number of at least 0').waitFor();
      }
      await multiplier.press('Escape');
      assert.equal(await multiplier.inputValue(), '0.1');

      await goTo(page, 'Templates');
      await page.getByRole('link', { name: 'Banner' }).click();
      const rate = page.getByLabel('Rate of Epic');
      await typeInto(rate, '0,1');
      assert.equal(await rate.inputValue(), '0,1');
      await page.getByText('Enter a number of at least 0').waitFor();
      await page.getByText('The odds are shown once the fields in red are right.').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      assert.equal(await page.getByRole('dialog').count(), 0);
      await typeInto(rate, '1e-1');
      await page.getByRole('region', { name: 'Odds of the tiers' }).getByText('base 10 %').waitFor();
      const price = page.getByRole('region', { name: 'Odds of the tiers' }).getByLabel('Price of a roll');
      await typeInto(price, '-1');
      await page.getByText('Enter a number of at least 0').waitFor();
      // It is not saved with the template, so it does not stand in the way.
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('The banner');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('The banner saved').waitFor();
      const { config } = assertDone(await team.get('/templates/banner')).body;
      assert.deepEqual(config, CATALOG.templates[0]?.config);

      await goTo(page, 'Simulator');
      const players = page.getByLabel('Players', { exact: true });
      await typeInto(players, '1e9');
      assert.equal(await players.inputValue(), '1e9');
      await page.getByText('Enter a whole number from 1 to 1,000,000').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Run the simulation' }).isDisabled(), true);
      await context.close();
    });
  });
});
