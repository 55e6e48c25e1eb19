import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type Client, onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { applyNow, axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const RARITY = {
  id: 'rarity',
  name: 'Rarity',
  classifierOptions: [
    { id: 'c-1', name: 'Common', dropRateMultiplier: 1 },
    { id: 'e-1', name: 'Epic', dropRateMultiplier: 1 },
  ],
};
/** Tiers are called by their names, as in configurations that were written by hand. */
const BANNER = { baseRates: { Common: 0.9, Epic: 0.1 }, pityThreshold: 10 };
const change = (kind: string, after: { id: string; name: string }) => ({ kind, id: after.id, after });
const STICK = { id: 'stick', name: 'Stick', classifierOptionIds: ['c-1'] };
const SWORD = { id: 'sword', name: 'Sword', classifierOptionIds: ['e-1'] };
const LANCE = { id: 'lance', name: 'Lance', classifierOptionIds: ['e-1'] };
const banner = { id: 'banner', name: 'Banner', type: 'gacha', config: BANNER };

const { SCREENSHOTS } = process.env;
const picture = async (page: Page, name: string): Promise<void> => {
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
};

onEveryDatabase('odds and rolls of a draft in the console', (service, engine) => {
  describe('in a browser', { skip: noBrowser }, () => {
    const testOnce = engine === 'sqlite' ? test : () => undefined;
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
    });
    after(() => browser?.close());

    const open = async (team: Client, edits: 'live' | 'draft', draftId?: string) => {
      const { page, context, complaints } = await openTab(browser, service().address);
      await signIn(page, service().address, team.teamId, team.secret, edits);
      if (draftId !== undefined) {
        await page.evaluate(`localStorage.setItem('itemwright.catalog.${team.teamId}', 'draft:${draftId}')`);
        await page.reload();
      }
      return { page, context, complaints };
    };
    const teamWith = async (live: object[], drafted: object[] = []) => {
      const team = await service().anotherTeam();
      if (live.length > 0) assertDone(await team.post('/catalog/publish', { changes: live, baseVersion: 0 }));
      const { body } = assertDone(await team.post('/catalog/drafts', { name: 'First', changes: drafted }));
      return { team, draftId: body.id as string };
    };

    test('shows the odds of a first draft in the editor, on the cards and in the simulator, and rolls on it', async () => {
      const { team, draftId } = await teamWith(
        [],
        [change('classifier', RARITY), change('item', STICK), change('item', SWORD), change('template', banner)],
      );
      const { page, context, complaints } = await open(team, 'draft', draftId);
      await goTo(page, 'Templates');
      const card = page.getByRole('article', { name: 'Banner' });
      await card.getByText('base 10 %').waitFor();
      await picture(page, 'draft-cards');
      await card.getByRole('link', { name: 'Banner' }).click();
      await page.getByRole('row', { name: /Sword.*Epic/ }).waitFor();
      const rate = page.getByLabel('Rate of Epic');
      await rate.fill('0.3');
      await page.getByRole('region', { name: 'Odds of the tiers' }).getByText('base 25 %').waitFor();
      await picture(page, 'draft-template');
      await page.getByRole('tab', { name: 'Simulator' }).click();
      await page.getByLabel('Players', { exact: true }).fill('100');
      await page.getByRole('button', { name: 'Run the simulation' }).click();
      await page.getByText(/^Half of the players had their first Epic/).waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Banner saved in the draft').waitFor();

      await goTo(page, 'Simulator');
      await page.getByRole('button', { name: 'Run the simulation' }).click();
      await page.getByText(/^Half of the players had their first Epic/).waitFor();
      await goTo(page, 'Roll lab');
      await page.getByText('These are test rolls on the draft').waitFor();
      assert.equal(await page.getByLabel('Give it to').count(), 0);
      await page.getByPlaceholder('any item').click();
      await page.getByRole('option', { name: 'Epic' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Roll', exact: true }).click();
      await page.getByRole('main').getByText('Sword').waitFor();
      await picture(page, 'draft-roll-lab');
      assert.equal(assertDone(await team.get('/roll-events/stats')).body.totalRolls, 0);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('a legendary that is added in the draft is in the odds of a live template', async () => {
      const live = [
        change('classifier', RARITY),
        change('item', STICK),
        change('item', SWORD),
        change('template', banner),
      ];
      const { team, draftId } = await teamWith(live, [change('item', LANCE)]);
      const { page, context } = await open(team, 'draft', draftId);
      await goTo(page, 'Templates');
      await page.getByRole('link', { name: 'Banner' }).click();
      await page.getByRole('row', { name: /Lance.*Epic/ }).waitFor();
      await context.close();
    });

    test('a diff shows what changed, and nothing else', async () => {
      const live = [
        change('classifier', RARITY),
        change('item', STICK),
        change('item', SWORD),
        change('template', banner),
      ];
      const { team } = await teamWith(live);
      const { page, context } = await open(team, 'live');
      await goTo(page, 'Templates');
      await page.getByRole('link', { name: 'Banner' }).click();
      for (const [label, field] of [
        ['Public odds', 'Public odds'],
        ['Verifiable rolls', 'Verifiable rolls'],
      ] as const) {
        await page.getByRole('switch', { name: label }).press('Space');
        if (label === 'Verifiable rolls')
          await page.getByText('players who have not chosen a client seed are refused').first().waitFor();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        const fields = page.getByRole('table', { name: 'Fields of Banner' });
        await fields.waitFor();
        assert.deepEqual(await fields.getByRole('row').allInnerTexts(), [`${field}\tno → yes`]);
        await picture(page, `diff-${field}`);
        await applyNow(page);
        await page.getByText('Banner saved').first().waitFor();
      }
      await page.getByLabel('Rate of Epic').fill('0.2');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const fields = page.getByRole('table', { name: 'Fields of Banner' });
      await fields.waitFor();
      assert.deepEqual(await fields.getByRole('row').allInnerTexts(), ['Rate › Epic\t0.1 → 0.2']);
      await applyNow(page);
      const saved = assertDone(await team.get('/templates/banner')).body;
      assert.equal(saved.config.pityThreshold, 10);
      await context.close();
    });

    testOnce('warns at once of what cannot be meant', async () => {
      const live = [
        change('classifier', RARITY),
        change('item', STICK),
        change('item', SWORD),
        change('template', banner),
      ];
      const { team } = await teamWith(live);
      const { page, context } = await open(team, 'live');
      await goTo(page, 'Templates');
      await page.getByRole('link', { name: 'Banner' }).click();
      await page.getByRole('button', { name: 'Add soft pity' }).click();
      await page.getByLabel('Soft pity of the top tier: from roll, part 1').fill('12');
      await page.getByText('The soft pity starts at roll 12, but the hard pity of 10 comes before it').waitFor();
      await page.getByRole('combobox', { name: 'Featured', exact: true }).fill('Sword');
      await page.getByRole('option', { name: 'Sword' }).click();
      await page.getByLabel('Featured share').fill('50');
      await page.getByText('there is nothing that the 50 % could be lost to').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await picture(page, 'advice');
      await page.getByRole('button', { name: 'Add a tier' }).click();
      await page.getByRole('combobox', { name: 'Tier 3' }).click();
      await page.getByRole('option', { name: 'Epic' }).click();
      await page.getByText('This tier is already in the list').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      assert.equal(await page.getByRole('dialog').count(), 0);
      await picture(page, 'repeated-tier');
      await context.close();
    });

    testOnce('rejects a second option of the same name', async () => {
      const { team } = await teamWith([change('classifier', RARITY)]);
      const { page, context } = await open(team, 'live');
      await goTo(page, 'Classifiers');
      await page.getByLabel('New option of Rarity').fill('epic');
      await page.getByText('Rarity already has an option of this name').waitFor();
      await page.keyboard.press('Enter');
      const name = page.getByLabel('Name of Common');
      await name.fill('Epic');
      await name.press('Enter');
      await page.getByText('Rarity already has an option named Epic').waitFor();
      const { body } = assertDone(await team.get('/classifiers/rarity'));
      assert.deepEqual(
        body.classifierOptions.map((option: { name: string }) => option.name),
        ['Common', 'Epic'],
      );
      await context.close();
    });

    test('asks before a roll creates a player', async () => {
      const { team } = await teamWith([change('item', { id: 'stick', name: 'Stick' })]);
      const { page, context } = await open(team, 'live');
      await goTo(page, 'Roll lab');
      await page.getByLabel('Give it to').fill('playr-1');
      const roll = page.getByRole('button', { name: 'Roll', exact: true });
      await roll.click();
      const question = page.getByRole('dialog', { name: 'There is no player playr-1' });
      await picture(page, 'unknown-player');
      await question.getByRole('button', { name: 'Change the id' }).click();
      await question.waitFor({ state: 'detached' });
      assert.deepEqual(assertDone(await team.get('/users')).body, []);
      await roll.click();
      await question.getByRole('button', { name: 'Create the player and roll' }).click();
      await page.getByRole('main').getByText('Stick').waitFor();
      assert.equal(assertDone(await team.get('/users')).body.length, 1);
      // Now it is known, so nobody is asked.
      await roll.click();
      await page.getByRole('heading', { name: 'Previous rolls' }).waitFor();
      await context.close();
    });

    test('cancelling a deletion that is not possible is no error', async () => {
      const live = [
        change('classifier', RARITY),
        change('item', STICK),
        change('item', SWORD),
        change('template', banner),
      ];
      const { team } = await teamWith(live);
      assertDone(await team.post('/users', { id: 'ann' }));
      assertDone(await team.post('/item-instances', { itemId: 'stick', userId: 'ann' }));
      const { page, context } = await open(team, 'live');
      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'Stick' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete Stick?' });
      await dialog.getByText('This cannot be published yet').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await page.getByText('Could not delete').count(), 0);
      assert.equal(await page.getByRole('alert').count(), 0);
      await context.close();
    });

    testOnce('a page that is opened while the service is down says so, and opens once it is back', async () => {
      const { team } = await teamWith([change('item', { id: 'stick', name: 'Stick' })]);
      const { page, context } = await open(team, 'live');
      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'Stick' }).waitFor();
      await context.route('**/*', (route) => route.abort('connectionrefused'));
      await goTo(page, 'Statistics');
      await page.getByText('This page could not be loaded').waitFor();
      assert.equal(await page.getByText('bug in the console').count(), 0);
      await picture(page, 'service-down');
      await context.unroute('**/*');
      await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor();
      // The same for a page whose script is there, but not its data.
      await context.route(/\/(?:spaces|users)/, (route) => route.abort('connectionrefused'));
      await goTo(page, 'Spaces');
      await page.getByText('The service cannot be reached').first().waitFor();
      await context.unroute(/\/(?:spaces|users)/);
      await page.getByText('No spaces yet').waitFor();
      await context.close();
    });
  });
});
