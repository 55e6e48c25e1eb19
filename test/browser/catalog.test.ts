import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { type Client, onEveryDatabase, type Service } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { applyNow, axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const RARITY = {
  id: 'rarity',
  name: 'Rarity',
  classifierOptions: [
    { id: 'common', name: 'Common', dropRateMultiplier: 1 },
    { id: 'epic', name: 'Epic', dropRateMultiplier: 0.1 },
  ],
};

const CATALOG = {
  formatVersion: 1,
  merge: true,
  classifiers: [RARITY],
  attributes: [{ id: 'damage', name: 'Damage', min: 0, max: 100 }],
  items: [
    { id: 'stick', name: 'Stick', classifierOptionIds: ['common'] },
    { id: 'twig', name: 'Twig', classifierOptionIds: ['common'] },
    { id: 'sword', name: 'Sword', classifierOptionIds: ['epic'] },
    { id: 'lance', name: 'Lance', classifierOptionIds: ['epic'] },
  ],
  templates: [
    { id: 'chest', name: 'Chest', type: 'gacha', config: { pityThreshold: 0 } },
    { id: 'banner', name: 'Banner', type: 'gacha', config: { baseRates: { common: 0.9, epic: 0.1 } } },
  ],
};

/** Repeats until it returns something else than undefined. */
const eventually = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (let turn = 0; turn < 200; turn += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(50);
  }
  assert.fail('it did not happen in time');
};

const { SCREENSHOTS } = process.env;

const picture = async (page: Page, name: string): Promise<void> => {
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
};

const bar = (page: Page) => page.getByRole('region', { name: 'Catalog', exact: true });

const choose = async (page: Page, what: string | RegExp): Promise<void> => {
  await bar(page)
    .getByRole('button', { name: /^Switch/ })
    .click();
  await page.getByRole('menuitem', { name: what }).click();
};

/** Opens the page of the draft that the bar names. */
const openDraft = async (page: Page): Promise<void> => {
  await bar(page).getByRole('link').click();
  await page.getByRole('region', { name: 'Draft', exact: true }).waitFor();
};

const enterMultiplier = async (page: Page, option: string, text: string): Promise<void> => {
  const field = page.getByLabel(`Multiplier of ${option}`);
  await field.fill('');
  await field.pressSequentially(text);
  await field.press('Enter');
};

/** Waits until all odds of a dialog or page are there, and reads one row. */
const oddsIn = async (page: Page, pool: string, item: string): Promise<string[]> => {
  const table = page.getByRole('table', { name: `Items of ${pool}, before and after` });
  const row = table.getByRole('row', { name: new RegExp(`^${item}`) });
  await row.waitFor();
  return (await row.getByRole('cell').allInnerTexts()).map((text) => text.replaceAll(/\s/g, ' ').trim());
};

onEveryDatabase('the catalog in the console', (service, engine) => {
  describe('in a browser', { skip: noBrowser }, () => {
    /** What does not depend on the database. */
    const testOnce = engine === 'sqlite' ? test : () => undefined;
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
    });
    after(() => browser?.close());

    /** A team of its own with a catalog, and a page of one of its members. */
    const start = async (edits: 'live' | 'draft', options: { team?: Client; catalog?: object } = {}) => {
      const team = options.team ?? (await service().anotherTeam());
      if (options.team === undefined)
        assertDone(await team.post('/catalog/publish', { ...CATALOG, ...options.catalog, baseVersion: 0 }));
      const { page, context, complaints } = await openTab(browser, (service() as Service).address);
      await signIn(page, service().address, team.teamId, team.secret, edits);
      return { team, page, context, complaints };
    };
    const oddsNow = async (team: Client) => [
      assertDone(await team.get('/items/odds')).body,
      assertDone(await team.get('/templates/chest/odds')).body,
      assertDone(await team.get('/templates/banner/odds')).body,
    ];
    const draftsOf = async (team: Client) => assertDone(await team.get('/catalog/drafts')).body;
    const changesOf = async (team: Client, id: string) =>
      assertDone(await team.get(`/catalog/drafts/${id}`)).body.changes;

    test('collects an edit in a draft, shows all odds, publishes it, and undoes it', async () => {
      const { team, page, context, complaints } = await start('draft');
      const before = await oddsNow(team);
      await bar(page).getByText('your first edit starts a draft').waitFor();
      await goTo(page, 'Classifiers');
      await enterMultiplier(page, 'Epic', '0.2');
      await page.getByText(/^Draft started: first, /).waitFor();
      await bar(page).getByText('1 change').waitFor();
      await page.getByText('changed in draft').waitFor();
      assert.deepEqual(await oddsNow(team), before);

      await goTo(page, 'Items');
      await page.getByRole('row', { name: /Sword.*8\.333\s%/s }).waitFor();
      await openDraft(page);
      assert.deepEqual(await oddsIn(page, 'All items', 'Sword'), ['Sword', '4.545 %', '8.333 %', '+83.3 %']);
      assert.deepEqual(await oddsIn(page, 'Chest', 'Stick'), ['Stick', '45.45 %', '41.67 %', '−8.33 %']);
      await page.getByText('The odds of Chest change while it is open').waitFor();
      // Both of its items stay as likely as each other, so nothing changes within the tier.
      assert.equal(await page.getByRole('region', { name: 'Odds of Banner' }).count(), 0);
      const fields = page.getByRole('table', { name: 'Fields of Rarity' });
      await fields.getByRole('row', { name: 'Option Epic Epic × 0.1 → Epic × 0.2' }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await picture(page, 'draft');

      await page.getByLabel('Name of the draft').fill('More epics');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'More epics' }).waitFor();
      await page.getByRole('button', { name: 'Publish now' }).click();
      await page.getByRole('heading', { level: 1, name: 'Version 2' }).waitFor();
      await bar(page).getByText('your first edit starts a draft').waitFor();
      assert.deepEqual(await draftsOf(team), []);
      const [plain] = await oddsNow(team);
      const sword = plain.find(({ itemId }: { itemId: string }) => itemId === 'sword');
      assert.ok(Math.abs(sword.odds - 0.2 / 2.4) < 1e-12, String(sword.odds));

      await goTo(page, 'History');
      await page.getByRole('row', { name: /^Version 2 1 change More epics first/ }).waitFor();
      await page.getByRole('link', { name: 'Version 2' }).click();
      assert.deepEqual(await oddsIn(page, 'All items', 'Sword'), ['Sword', '4.545 %', '8.333 %', '+83.3 %']);
      await page.getByRole('button', { name: 'Undo this version' }).click();
      const dialog = page.getByRole('dialog', { name: 'Undo version 2?' });
      await dialog
        .getByRole('row', { name: /^Sword 8\.333\s% 4\.545\s%/ })
        .first()
        .waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await dialog.getByRole('button', { name: 'Undo this version' }).click();
      await page.getByRole('row', { name: /^Version 3 1 change Undo version 2/ }).waitFor();
      assert.deepEqual(await oddsNow(team), before);

      await page.getByRole('link', { name: 'Version 2' }).click();
      await page.getByRole('button', { name: 'Restore this version' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore this version' }).click();
      await page.getByRole('row', { name: /^Version 4 1 change Restore version 2/ }).waitFor();
      assert.deepEqual((await oddsNow(team))[0], plain);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('collects new, changed and deleted entities of every kind', async () => {
      const { team, page, context } = await start('draft');
      await goTo(page, 'Attributes');
      await page.getByRole('button', { name: 'New attribute' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Armour');
      await dialog.getByRole('button', { name: 'Create attribute' }).click();
      await page.getByRole('cell', { name: /^Armour new in draft/ }).waitFor();
      await page.getByRole('button', { name: 'Actions for Damage' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('region', { name: 'Deleted in the draft' }).getByText('Damage').waitFor();

      await goTo(page, 'Classifiers');
      await page.getByLabel('New option of Rarity').fill('Mythic');
      await page.keyboard.press('Enter');
      await page.getByLabel('Multiplier of Mythic').waitFor();
      await goTo(page, 'Spaces');
      await page.getByRole('button', { name: 'New space' }).first().click();
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Backpack');
      await dialog.getByRole('button', { name: 'Create space' }).click();
      await page.getByRole('cell', { name: /^Backpack new in draft/ }).waitFor();

      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'New item' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Trident');
      // The option exists in the draft only.
      await page.getByText('Mythic', { exact: true }).click();
      await page.getByRole('combobox', { name: 'Add an attribute' }).click();
      await page.getByRole('option', { name: 'Armour' }).click();
      await page.getByRole('button', { name: 'Create item' }).click();
      await page.getByRole('row', { name: /Trident new in draft.*31\.25\s%/s }).waitFor();
      await page.getByRole('link', { name: 'Twig' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('region', { name: 'Deleted in the draft' }).getByText('Twig').waitFor();

      await goTo(page, 'Templates');
      await page.getByRole('link', { name: 'New template' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Winter');
      await page.getByRole('button', { name: 'Create template' }).click();
      await page.getByRole('heading', { level: 1, name: 'Winter' }).waitFor();
      await page.getByText('new in draft').waitFor();
      await page.getByRole('region', { name: 'Odds of the items' }).waitFor();

      const [draft] = await draftsOf(team);
      const changes = await changesOf(team, draft.id);
      const describe = ({ kind, after: entity }: { kind: string; after: { name: string } | null }) =>
        `${kind} ${entity?.name ?? 'deleted'}`;
      assert.deepEqual(changes.map(describe).sort(), [
        'attribute Armour',
        'attribute deleted',
        'classifier Rarity',
        'item Trident',
        'item deleted',
        'space Backpack',
        'template Winter',
      ]);
      await openDraft(page);
      await page.getByText('4 new, 1 changed, 2 deleted').waitFor();
      await page.getByRole('button', { name: 'Remove the change of Twig from the draft' }).click();
      await page.getByText('4 new, 1 changed, 1 deleted').waitFor();
      await page.getByRole('button', { name: 'Publish now' }).click();
      await page.getByRole('heading', { level: 1, name: 'Version 2' }).waitFor();
      const names = assertDone(await team.get('/items')).body.map(({ name }: { name: string }) => name);
      assert.deepEqual(names.sort(), ['Lance', 'Stick', 'Sword', 'Trident', 'Twig']);
      await context.close();
    });

    testOnce('keeps two quick edits of one classifier, and starts one draft for both', async () => {
      const { team, page, context } = await start('draft');
      await goTo(page, 'Classifiers');
      await page.getByLabel('Multiplier of Epic').waitFor();
      await page.route('**/catalog/drafts/*', async (route) => {
        await delay(500);
        await route.continue();
      });
      await enterMultiplier(page, 'Epic', '0.2');
      await enterMultiplier(page, 'Common', '3');
      await page.getByLabel('Multiplier of Common').and(page.locator('[value="3"]:not([readonly])')).waitFor();
      const [draft, ...others] = await draftsOf(team);
      assert.deepEqual(others, []);
      const [{ after: rarity }] = await changesOf(team, draft.id);
      assert.deepEqual(
        rarity.classifierOptions.map(({ dropRateMultiplier }: { dropRateMultiplier: number }) => dropRateMultiplier),
        [3, 0.2],
      );
      assert.equal(await page.getByRole('dialog').count(), 0);
      await context.close();
    });

    testOnce('says how many pools are computed if that takes long', async () => {
      const { page, context } = await start('draft');
      await goTo(page, 'Classifiers');
      await enterMultiplier(page, 'Epic', '0.2');
      await bar(page).getByText('1 change').waitFor();
      await page.route('**/catalog/plan', async (route) => {
        const { pools } = route.request().postDataJSON() as { pools: string[] };
        if (pools.length > 0) await delay(1_500);
        await route.continue();
      });
      await openDraft(page);
      await page.getByText('Computing odds: 1 of 3 pools').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Publish now' }).isDisabled(), true);
      await page.getByText('Computing odds').waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'Odds of Chest' }).waitFor();
      await context.close();
    });

    test('saves nothing if letters are typed as a multiplier', async () => {
      const { team, page, context } = await start('draft');
      await goTo(page, 'Classifiers');
      await enterMultiplier(page, 'Epic', 'abc');
      await page.getByText('Enter a number').waitFor();
      await picture(page, 'letters');
      // What was typed stays, so that it can be mended.
      assert.equal(await page.getByLabel('Multiplier of Epic').inputValue(), 'abc');
      assert.deepEqual(await draftsOf(team), []);
      assert.equal(assertDone(await team.get('/catalog/versions')).body.length, 1);
      await context.close();
    });

    test('refuses an item with two tier options, in a draft and live, by name', async () => {
      const { team, page, context, complaints } = await start('draft');
      const openSword = async () => {
        await goTo(page, 'Items');
        await page.getByRole('link', { name: 'Sword' }).click();
        await page.getByText('Common', { exact: true }).click();
        await page.getByRole('button', { name: 'Save' }).click();
      };
      await openSword();
      await bar(page).getByText('1 fault').waitFor();
      await openDraft(page);
      const fault = page.getByRole('alert').filter({ hasText: 'This cannot be published yet' });
      await fault
        .getByText(/Banner could no longer be rolled on: its tier Epic shares the item Sword with the tier Common/)
        .waitFor();
      assert.equal(await page.getByRole('button', { name: 'Publish now' }).isDisabled(), true);

      await choose(page, 'Live');
      await openSword();
      const dialog = page.getByRole('dialog', { name: 'Apply the change of Sword?' });
      await dialog.getByText(/Banner could no longer be rolled on: its tier Epic shares the item Sword/).waitFor();
      assert.equal(await dialog.getByRole('button', { name: 'Apply now' }).isDisabled(), true);
      assert.deepEqual(await axeFaults(page), []);
      await picture(page, 'two-tiers');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('alert').getByText('Banner could no longer be rolled on').waitFor();
      const { classifiers } = assertDone(await team.get('/items/sword')).body;
      assert.equal(classifiers.length, 1);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('a stale tab deletes no option of a colleague, shows it, and reapplies its own change', async () => {
      const { team, page, context } = await start('live');
      await goTo(page, 'Classifiers');
      await page.getByLabel('Name of Epic').waitFor();
      const mythic = { id: 'mythic', name: 'Mythic', dropRateMultiplier: 0.5 };
      const after = { ...RARITY, classifierOptions: [...RARITY.classifierOptions, mythic] };
      const changes = [{ kind: 'classifier', id: 'rarity', after }];
      assertDone(await team.post('/catalog/publish', { changes, baseVersion: 1 }));
      const optionsNow = async () =>
        assertDone(await team.get('/classifiers/rarity')).body.classifierOptions.map(
          ({ name }: { name: string }) => name,
        );

      await page.getByRole('button', { name: 'Remove Common' }).click();
      const dialog = page.getByRole('dialog', { name: 'Rarity has changed' });
      await dialog
        .getByText(/^Somebody with the secret “first” has changed this in the meantime\. Nothing was saved/)
        .waitFor();
      await dialog
        .getByRole('table', { name: 'Changed in the meantime' })
        .getByRole('row', { name: 'Option Mythic Mythic × 0.5' })
        .waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await picture(page, 'stale-dialog');
      await dialog.getByRole('button', { name: 'Discard my change' }).click();
      assert.deepEqual(await optionsNow(), ['Common', 'Epic', 'Mythic']);
      await page.getByLabel('Name of Mythic').waitFor();

      const later = { ...after, name: 'Rareness' };
      const rename = [{ kind: 'classifier', id: 'rarity', after: later }];
      assertDone(await team.post('/catalog/publish', { changes: rename, baseVersion: 2 }));
      await page.getByLabel('Name of Epic').fill('Heroic');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Reapply my change' }).click();
      await page.getByLabel('Name of Heroic').waitFor();
      assert.deepEqual(await optionsNow(), ['Common', 'Heroic', 'Mythic']);
      assert.equal(assertDone(await team.get('/classifiers/rarity')).body.name, 'Rareness');
      await context.close();
    });

    testOnce('a stale form shows what changed meanwhile, and reapplies what was entered', async () => {
      const { team, page, context } = await start('live');
      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'Stick' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Big stick');
      assertDone(await team.put('/items/stick', { rollNumerator: 50 }));
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Stick has changed' });
      await dialog.getByRole('row', { name: 'Weight 100 → 50' }).waitFor();
      await dialog.getByRole('row', { name: 'Name Stick → Big stick' }).waitFor();
      await dialog.getByRole('button', { name: 'Reapply my change' }).click();
      await page.getByRole('link', { name: 'Big stick' }).waitFor();
      const { name, rollNumerator } = assertDone(await team.get('/items/stick')).body;
      assert.deepEqual([name, rollNumerator], ['Big stick', 50]);

      // Something that is refetched while the form is open is noticed before it is saved.
      await page.getByRole('link', { name: 'Big stick' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Huge stick');
      assertDone(await team.put('/items/stick', { rollNumerator: 60 }));
      await delay(5_100);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      const notice = page.getByRole('alert').filter({ hasText: 'This has changed in the meantime' });
      await notice.getByRole('button', { name: 'Reapply my change' }).click();
      await notice.waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), 'Huge stick');
      assert.equal(await page.getByRole('textbox', { name: 'Base weight' }).inputValue(), '60');
      await context.close();
    });

    testOnce('two people work in one draft: both edits are kept, and the same entity is not overwritten', async () => {
      const { team, page: ann, context } = await start('draft');
      const { body: draft } = assertDone(await team.post('/catalog/drafts', { name: 'Together' }));
      const { page: bea, context: other } = await start('draft', { team });
      for (const page of [ann, bea]) {
        await page.reload();
        await choose(page, /^Together/);
        await goTo(page, 'Items');
      }
      const rename = async (page: Page, item: string, name: string) => {
        await page.getByRole('link', { name: item, exact: true }).click();
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      };
      const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
      await rename(ann, 'Stick', 'Staff');
      await rename(bea, 'Sword', 'Sabre');
      await save(ann);
      await ann.getByRole('link', { name: 'Staff' }).waitFor();
      await save(bea);
      await bea.getByRole('link', { name: 'Sabre' }).waitFor();
      const namesIn = async () =>
        (await changesOf(team, draft.id)).map(({ after: item }: { after: { name: string } }) => item.name).sort();
      assert.deepEqual(await namesIn(), ['Sabre', 'Staff']);

      await rename(ann, 'Staff', 'Rod');
      await bea.getByRole('link', { name: 'Staff', exact: true }).click();
      await bea.getByRole('textbox', { name: 'Thumbnail' }).fill('staff.png');
      await save(ann);
      await ann.getByRole('link', { name: 'Rod' }).waitFor();
      await save(bea);
      const dialog = bea.getByRole('dialog', { name: 'Rod has changed' });
      await dialog.getByText(/^Somebody else has changed this in this draft in the meantime/).waitFor();
      await dialog.getByRole('button', { name: 'See the draft' }).waitFor();
      assert.deepEqual(await namesIn(), ['Rod', 'Sabre']);
      await dialog.getByRole('button', { name: 'Reapply my change' }).click();
      await bea.getByRole('link', { name: 'Rod' }).waitFor();
      const stick = (await changesOf(team, draft.id)).find(({ id }: { id: string }) => id === 'stick');
      assert.deepEqual([stick.after.name, stick.after.thumbnail], ['Rod', 'staff.png']);
      await context.close();
      await other.close();
    });

    testOnce('shows the odds before a weight or a deletion is applied live, or puts it into a draft', async () => {
      const { team, page, context } = await start('live');
      await bar(page).getByText('edits affect players at once').waitFor();
      await goTo(page, 'Classifiers');
      await enterMultiplier(page, 'Epic', '0.2');
      const dialog = page.getByRole('dialog', { name: 'Apply the change of Rarity?' });
      assert.deepEqual(await oddsIn(page, 'All items', 'Sword'), ['Sword', '4.545 %', '8.333 %', '+83.3 %']);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByLabel('Multiplier of Epic').and(page.locator('[value="0.1"]:not([readonly])')).waitFor();
      assert.equal(assertDone(await team.get('/catalog/versions')).body.length, 1);

      // What somebody publishes while the question is open is noticed when it is answered.
      await enterMultiplier(page, 'Epic', '0.2');
      await oddsIn(page, 'All items', 'Sword');
      const mythic = { id: 'mythic', name: 'Mythic', dropRateMultiplier: 0.5 };
      const theirs = { ...RARITY, classifierOptions: [...RARITY.classifierOptions, mythic] };
      const changes = [{ kind: 'classifier', id: 'rarity', after: theirs }];
      assertDone(await team.post('/catalog/publish', { changes, baseVersion: 1 }));
      await dialog.getByRole('button', { name: 'Apply now' }).click();
      const stale = page.getByRole('dialog', { name: 'Rarity has changed' });
      await stale.getByRole('row', { name: 'Option Mythic Mythic × 0.5' }).waitFor();
      await stale.getByRole('button', { name: 'Discard my change' }).click();
      assertDone(await team.post('/catalog/publish', { undo: 2, baseVersion: 2 }));

      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'Twig' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      assert.deepEqual(await oddsIn(page, 'All items', 'Twig'), ['Twig', '45.45 %', '–', 'gone']);
      await applyNow(page);
      await page.getByRole('heading', { level: 1, name: 'Items' }).waitFor();
      await page.getByRole('link', { name: 'Twig' }).waitFor({ state: 'detached' });
      assert.equal((await team.get('/items/twig')).status, 404);

      await page.getByRole('link', { name: 'Stick' }).click();
      await page.getByRole('textbox', { name: 'Base weight' }).fill('300');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Put into a draft' }).click();
      await page.getByText(/^Draft started: first, /).waitFor();
      await bar(page).getByText('1 change').waitFor();
      assert.equal(assertDone(await team.get('/items/stick')).body.rollNumerator, 100);
      await context.close();
    });

    testOnce('moves a draft along with the catalog, and names what both sides changed', async () => {
      const { team, page, context } = await start('draft');
      const stick = { ...CATALOG.items[0], rollNumerator: 10 };
      const changes = [{ kind: 'item', id: 'stick', after: stick }];
      const { body: draft } = assertDone(await team.post('/catalog/drafts', { name: 'Fewer sticks', changes }));
      assertDone(await team.put('/items/twig', { name: 'Branch' }));
      await page.goto(`${service().address}/console/drafts/${draft.id}`);
      const moved = page.getByRole('note').filter({ hasText: 'The catalog has moved on to version 2' });
      await moved.getByText('Nothing that the draft changes has been changed since.').waitFor();
      await moved.getByRole('button', { name: 'Rebase' }).click();
      await moved.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'version 2' }).waitFor();

      assertDone(await team.put('/items/stick', { rollNumerator: 70 }));
      await page.reload();
      const clash = page.getByRole('note').filter({ hasText: 'The catalog has moved on to version 3' });
      await clash.getByText(/^item Stick, /).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Publish now' }).isDisabled(), true);
      await page.getByRole('row', { name: 'Weight 70 → 10' }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await picture(page, 'clash');
      await clash.getByRole('button', { name: "Rebase, and keep the draft's changes" }).click();
      await clash.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Publish now' }).click();
      await page.getByRole('heading', { level: 1, name: 'Version 4' }).waitFor();
      assert.equal(assertDone(await team.get('/items/stick')).body.rollNumerator, 10);
      await context.close();
    });

    testOnce('publishes at a time, takes it off the schedule, and shows a failure', async () => {
      const { team, page, context } = await start('draft');
      const stick = { ...CATALOG.items[0], rollNumerator: 10 };
      const changes = [{ kind: 'item', id: 'stick', after: stick }];
      const { body: draft } = assertDone(await team.post('/catalog/drafts', { name: 'Fewer sticks', changes }));
      const path = `/catalog/drafts/${draft.id}`;
      await page.goto(`${service().address}/console/drafts/${draft.id}`);
      await page.getByRole('button', { name: 'Publish at a time' }).click();
      await page.getByLabel('Publish at').fill('2099-12-24T18:00');
      await page.getByRole('button', { name: 'Schedule', exact: true }).click();
      await page.getByText('It will be published on Dec 24, 2099').waitFor();
      assert.ok(assertDone(await team.get(path)).body.publishAt.startsWith('2099-12-24'));
      await page.getByRole('button', { name: 'Take it off the schedule' }).click();
      await page.getByText('It will be published on').waitFor({ state: 'detached' });
      assert.equal(assertDone(await team.get(path)).body.publishAt, null);

      // The catalog moves on, and the draft is not to be moved along.
      assertDone(await team.put('/items/twig', { name: 'Branch' }));
      const at = new Date(Date.now() + 200).toISOString();
      assertDone(await team.post(`${path}/publish`, { at }));
      await eventually(async () => assertDone(await team.get(path)).body.failure ?? undefined);
      await page.reload();
      await page.getByText('It could not be published when it was due').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await goTo(page, 'Overview');
      await page.getByRole('alert').getByText('Fewer sticks was not published').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await context.close();
    });

    testOnce('shows drafts and history to those who may only read, and nothing to change', async () => {
      const reader = await service().as('read');
      assertDone(await service().post('/items', { id: 'gem', name: 'Gem' }));
      const changes = [{ kind: 'item', id: 'gem', after: { id: 'gem', name: 'Ruby' } }];
      const { body: draft } = assertDone(await service().post('/catalog/drafts', { name: 'Rubies', changes }));
      const { page, context } = await start('draft', { team: reader });
      await bar(page).getByText('Live', { exact: true }).waitFor();
      await choose(page, /^Rubies/);
      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'Ruby' }).waitFor();
      await page.goto(`${service().address}/console/drafts/${draft.id}`);
      await page.getByText('Draft · 1 change').waitFor();
      for (const name of ['Publish now', 'Delete', 'Remove', 'Rebase'])
        assert.equal(await page.getByRole('button', { name }).count(), 0, name);
      await goTo(page, 'History');
      await page.getByRole('link', { name: 'Version 1' }).click();
      await page.getByRole('heading', { level: 1, name: 'Version 1' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Undo this version' }).count(), 0);
      await context.close();
    });
  });
});
