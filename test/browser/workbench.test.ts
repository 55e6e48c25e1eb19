import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const RARITIES = ['Common', 'Rare', 'Legendary'];
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
    Array.from({ length: 12 }, (_, number) => ({
      id: `${name.toLowerCase()}-${number + 1}`,
      name: `${name} ${number + 1}`,
      classifierOptionIds: [name.toLowerCase(), number % 2 === 0 ? 'head' : 'hand'],
    })),
  ),
};

onEveryDatabase('the workbench of the console', (service, engine) => {
  describe('in a browser', { skip: noBrowser }, () => {
    const testOnce = engine === 'sqlite' ? test : () => undefined;
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
    });
    after(() => browser?.close());

    const start = async (options: object = {}, edits: 'live' | 'draft' = 'live') => {
      const team = await service().anotherTeam();
      assertDone(await team.post('/catalog/publish', CATALOG));
      const { page, context, complaints } = await openTab(browser, service().address, options);
      await signIn(page, service().address, team.teamId, team.secret, edits);
      return { team, page, context, complaints };
    };

    test('options have the colours of the genre, until the team sets others', async () => {
      const { team, page, context, complaints } = await start();
      await goTo(page, 'Classifiers');
      const colour = page.getByLabel('Colour of Legendary');
      await colour.waitFor();
      assert.equal(await colour.inputValue(), '#e8750c');
      assert.equal(await page.getByLabel('Colour of Rare').inputValue(), '#2c7be5');
      const stored = async () => {
        const { classifierOptions } = assertDone(await team.get('/classifiers/rarity')).body;
        return classifierOptions.map(({ color }: { color: string | null }) => color);
      };
      assert.deepEqual(await stored(), [null, null, null]);
      await colour.fill('#ff00aa');
      await page.getByRole('button', { name: 'Default colour of Legendary' }).waitFor();
      assert.deepEqual(await stored(), [null, null, '#ff00aa']);
      await page.getByRole('button', { name: 'Default colour of Legendary' }).click();
      await page.getByRole('button', { name: 'Default colour of Legendary' }).waitFor({ state: 'detached' });
      assert.deepEqual(await stored(), [null, null, null]);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('a colour in a draft is a change of its own, and of nothing else', async () => {
      const { page, context } = await start({}, 'draft');
      await goTo(page, 'Classifiers');
      await page.getByLabel('Colour of Legendary').fill('#ff00aa');
      await page.getByText('Draft started', { exact: false }).waitFor();
      await page.getByRole('region', { name: 'Catalog', exact: true }).getByRole('link').click();
      const change = page.getByRole('table', { name: /Rarity/ });
      await change.waitFor();
      assert.deepEqual(await change.getByRole('row').allInnerTexts(), ['Colour of Legendary\t#ff00aa']);
      await context.close();
    });
  });
});
