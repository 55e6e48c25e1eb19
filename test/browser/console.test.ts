import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { applyNow, axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn, type Tab } from './browser.ts';

describe('the console in a browser', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  let tab: Tab;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
    browser = await launchBrowser();
    tab = await openTab(browser, service.address);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await empty?.drop();
  });

  test("rejects a wrong secret with a message, without the browser's password dialog", async () => {
    const { page } = await openTab(browser, service.address);
    await page.goto(`${service.address}/console/items`);
    await page.getByLabel('Team id').fill(service.teamId);
    await page.getByLabel('Secret', { exact: true }).fill('not the secret of the team');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Wrong team id or secret.').waitFor();
    await page.context().close();
  });

  test('signs in with Enter, and stays signed in after a reload and at a pasted URL', async () => {
    const { page } = tab;
    await signIn(page, service.address, service.teamId, service.secret);
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    assert.ok((await links.count()) >= 10);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.goto(`${service.address}/console/attributes`);
    await page.getByRole('heading', { level: 1, name: 'Attributes' }).waitFor();
    assert.equal(await page.title(), 'Attributes · Itemwright');
  });

  test('says what to do if there is nothing yet', async () => {
    const { page } = tab;
    for (const [place, words] of Object.entries({
      Overview: 'First steps',
      Items: 'No items yet',
      Classifiers: 'No classifiers yet',
      Templates: 'No templates yet',
      Simulator: 'No templates yet',
      'Roll lab': 'Nothing to roll',
      'Roll log': 'No rolls found',
      Statistics: 'No rolls found',
      Players: 'No players yet',
      Spaces: 'No spaces yet',
      Attributes: 'No attributes yet',
    })) {
      await goTo(page, place);
      await page.getByText(words).waitFor();
    }
  });

  test('creates an attribute, a classifier and an item, and shows its exact odds', async () => {
    const { page } = tab;
    await page.getByRole('button', { name: 'New attribute' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Damage');
    await dialog.getByLabel('Highest').fill('200');
    await dialog.getByRole('button', { name: 'Create attribute' }).click();
    await page.getByRole('cell', { name: /^Damage/ }).waitFor();

    await goTo(page, 'Classifiers');
    await page.getByRole('button', { name: 'New classifier' }).first().click();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Rarity');
    await dialog.getByLabel('Name of option 1').fill('common');
    await dialog.getByRole('button', { name: 'Add an option' }).click();
    await dialog.getByLabel('Name of option 2').fill('rare');
    await dialog.getByLabel('Multiplier of option 2').fill('0.25');
    await dialog.getByRole('button', { name: 'Create classifier' }).click();
    await page.getByRole('table', { name: 'Options of Rarity' }).waitFor();

    for (const [name, option] of [
      ['Stick', 'common'],
      ['Sword', 'rare ×0.25'],
    ] as const) {
      await goTo(page, 'Items');
      await page.getByRole('link', { name: 'New item' }).first().click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      await page.getByText(option, { exact: true }).click();
      await page.getByRole('combobox', { name: 'Add an attribute' }).click();
      await page.getByRole('option', { name: 'Damage' }).click();
      await page.getByRole('textbox', { name: 'Lowest Damage' }).fill('10');
      await page.getByRole('textbox', { name: 'Highest Damage' }).fill('20');
      await page.getByRole('button', { name: 'Create item' }).click();
      await applyNow(page);
      await page.getByRole('link', { name }).waitFor();
    }
    assert.match(await page.getByRole('row', { name: /Stick/ }).innerText(), /80\s%/);
    assert.match(await page.getByRole('row', { name: /Sword/ }).innerText(), /20\s%/);
    const [sword] = (await service.get('/items')).body.filter(({ name }: { name: string }) => name === 'Sword');
    assert.deepEqual([sword.attributes[0].min, sword.attributes[0].max], [10, 20]);
  });

  test('describes an item, and gives it data of the game', async () => {
    const { page } = tab;
    const { id } = (await service.get('/items')).body.find(({ name }: { name: string }) => name === 'Sword');
    const open = () => page.goto(`${service.address}/console/items/${id}`);
    const save = async () => {
      // No odds change, so nothing needs to be confirmed.
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Sword', exact: true }).waitFor();
    };
    const sword = async () => (await service.get('/items')).body.find(({ name }: { name: string }) => name === 'Sword');
    await open();
    await page.getByRole('textbox', { name: 'Description' }).fill('Forged at first light.');
    const data = page.getByRole('textbox', { name: 'Data of your game' });
    await data.fill('[7]');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a JSON object, such as').waitFor();
    assert.equal((await sword()).description, null);
    await data.fill('{"quests": [7]}');
    await save();
    const { description, data: stored } = await sword();
    assert.deepEqual({ description, stored }, { description: 'Forged at first light.', stored: { quests: [7] } });
    await open();
    assert.deepEqual(JSON.parse(await data.inputValue()), { quests: [7] });
    await page.getByRole('textbox', { name: 'Description' }).fill('');
    await data.fill('');
    await save();
    assert.deepEqual([(await sword()).description, (await sword()).data], [null, null]);
  });

  test('edits a multiplier in place, and updates the odds', async () => {
    const { page } = tab;
    await goTo(page, 'Classifiers');
    await page.getByLabel('Multiplier of rare').fill('1');
    await page.keyboard.press('Enter');
    await applyNow(page);
    await goTo(page, 'Items');
    await page.getByRole('row', { name: /Sword.*50\s%/s }).waitFor();
  });

  test('does not take letters for a multiplier of 1', async () => {
    const { page } = tab;
    await goTo(page, 'Classifiers');
    const field = page.getByLabel('Multiplier of rare');
    const before = (await service.get('/classifiers')).body;
    await field.fill('');
    await field.pressSequentially('abc');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a number').waitFor();
    assert.equal(await field.inputValue(), 'abc');
    assert.deepEqual((await service.get('/classifiers')).body, before);
  });

  test("does not overwrite a colleague's change that the page does not show yet", async () => {
    const { page } = tab;
    await goTo(page, 'Classifiers');
    const multiplier = page.getByLabel('Multiplier of rare');
    const enter = async (text: string) => {
      await multiplier.fill('');
      await multiplier.pressSequentially(text);
      await multiplier.and(page.locator(`[value="${text}"]`)).waitFor();
      await multiplier.press('Enter');
    };
    await multiplier.waitFor();
    const [{ id, classifierOptions }] = (await service.get('/classifiers')).body;
    const present = classifierOptions.map((option: { id: string }) => ({ id: option.id }));
    const { status, body: changed } = await service.put(`/classifiers/${id}`, {
      classifierOptions: [...present, { name: 'mythic', dropRateMultiplier: 0.5 }],
    });
    assert.equal(status, 200);
    await enter('3');
    await page
      .getByText(/^Somebody with the secret “first” has changed this in the meantime\. Nothing was saved/)
      .first()
      .waitFor();
    assert.deepEqual((await service.get(`/classifiers/${id}`)).body, changed);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/stale-page.png` });
    const stale = page.getByRole('dialog', { name: 'Rarity has changed' });
    await stale.getByRole('button', { name: 'Discard my change' }).click();
    // The page shows it now, so the same change is made with open eyes.
    await page.getByLabel('Multiplier of mythic').waitFor();
    await multiplier.and(page.locator('[value="1"]:not([readonly])')).waitFor();
    await enter('3');
    await applyNow(page);
    const optionsNow = async () => (await service.get(`/classifiers/${id}`)).body.classifierOptions;
    for (let left = 100; left > 0; left -= 1) {
      if ((await optionsNow())[1].dropRateMultiplier === 3) break;
      await page.waitForTimeout(50);
    }
    assert.deepEqual(
      (await optionsNow())
        .map((option: { name: string; dropRateMultiplier: number }) => option.dropRateMultiplier)
        .slice(1),
      [3, 0.5],
    );
    const restored = classifierOptions.map((option: { id: string }) => ({ id: option.id, dropRateMultiplier: 1 }));
    assert.equal((await service.put(`/classifiers/${id}`, { classifierOptions: restored })).status, 200);
    await page.reload();
  });

  test('rolls an item, and shows its attributes on their ranges', async () => {
    const { page } = tab;
    await goTo(page, 'Roll lab');
    await page.getByRole('button', { name: 'Roll', exact: true }).click();
    await page.getByText('of 10 to 20').waitFor();
    assert.equal((await service.get('/roll-events/stats')).body.totalRolls, 0);
    await page.getByRole('textbox', { name: 'Give it to' }).fill('player-1');
    await page.getByText('player-1 gets the item').waitFor();
    await page.getByRole('button', { name: 'Roll', exact: true }).click();
    await page.getByRole('button', { name: 'Create the player and roll' }).click();
    await page.getByRole('heading', { name: 'Previous rolls' }).waitFor();
    assert.equal((await service.get('/roll-events/stats')).body.totalRolls, 1);
  });

  test('creates a banner, with live odds and errors next to the fields', async () => {
    const { page } = tab;
    await goTo(page, 'Templates');
    await page.getByRole('link', { name: 'New template' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Banner');
    await page.getByRole('button', { name: 'All of Rarity' }).click();
    await page.getByLabel('Rate of common').fill('0.9');
    await page.getByLabel('Rate of rare').fill('0.1');
    await page.getByLabel('Hard pity', { exact: true }).fill('10');
    const odds = page.getByRole('table', { name: 'rolls until the first of each tier' });
    await odds.getByRole('row', { name: /rare.*10$/ }).waitFor();
    await page.getByLabel('Guarantee', { exact: true }).fill('1');
    await page.getByText('This cannot be saved yet').first().waitFor();
    await page.getByText('As they were before your last change.').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('Guarantee', { exact: true }).fill('');
    await page.getByText('This cannot be saved yet').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create template' }).click();
    await applyNow(page);
    await page.getByRole('heading', { level: 1, name: 'Banner' }).waitFor();
    const [template] = (await service.get('/templates')).body;
    assert.deepEqual(template.config.pityThreshold, 10);
  });

  test('creates a card pack with a slot limited to some items', async () => {
    const { page } = tab;
    await goTo(page, 'Templates');
    await page.getByRole('link', { name: 'New template' }).first().click();
    await page.getByRole('radio', { name: /^Card pack/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Pack');
    await page.getByRole('combobox', { name: 'Only items with these options, in slot 1' }).click();
    await page.getByRole('option', { name: 'rare', exact: true }).click();
    const odds = page.getByRole('table', { name: 'Odds of the items' });
    await odds.getByRole('row', { name: /^Stick\s+0\s%/ }).waitFor();
    await odds.getByRole('row', { name: /^Sword\s+100\s%/ }).waitFor();
    await page.getByRole('button', { name: 'Create template' }).click();
    await applyNow(page);
    await page.getByRole('heading', { level: 1, name: 'Pack' }).waitFor();
    const pack = (await service.get('/templates/type/card_pack')).body[0];
    const [rarity] = (await service.get('/classifiers')).body;
    const rare = rarity.classifierOptions.find(({ name }: { name: string }) => name === 'rare');
    assert.deepEqual(pack.config.slots, [{ count: 5, classifierOptionIds: [rare.id] }]);
  });

  test('asks before changes are lost: by a link, by going back, by leaving the page', async () => {
    const { page } = tab;
    await goTo(page, 'Items');
    await page.getByRole('link', { name: 'Sword' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.waitFor();
    await goTo(page, 'Items');
    await page.getByRole('link', { name: 'Sword' }).click();
    await name.click();
    await page.keyboard.type('fish');
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });

    await goTo(page, 'Attributes');
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.evaluate('history.back()');
    await dialog.waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await dialog.waitFor({ state: 'detached' });
    const asked = page.waitForEvent('dialog');
    await page.evaluate('void setTimeout(() => location.reload())');
    const question = await asked;
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();
    assert.equal(await name.inputValue(), 'Swordfish');
    assert.match(page.url(), /\/console\/items\/[^/]+$/);

    await page.evaluate('history.back()');
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Items' }).waitFor();
    await page.getByRole('link', { name: 'Sword', exact: true }).click();
    await name.fill('Long sword');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Long sword' }).waitFor();
  });

  test('reports problems of the catalog, with links to fix them', async () => {
    const { page } = tab;
    await goTo(page, 'Overview');
    await page.getByText('Every item can drop.').waitFor();
    const [stick] = (await service.get('/items')).body.filter(({ name }: { name: string }) => name === 'Stick');
    // Another item of its tier, without which the banner could not be rolled.
    const classifierOptionIds = stick.classifiers.map(
      (one: { classifierOption: { id: string } }) => one.classifierOption.id,
    );
    await service.post('/items', { name: 'Twig', classifierOptionIds });
    await service.put(`/items/${stick.id}`, { rollNumerator: 0 });
    await page.reload();
    const health = page.getByRole('region', { name: 'Catalog health' });
    await health.getByText('Stick can never drop: its weight is 0.').waitFor();
    await health.getByRole('link', { name: 'Change its weight' }).click();
    await page.getByRole('heading', { level: 1, name: 'Stick' }).waitFor();
    await page.getByText('With a weight of 0 it never drops.').waitFor();
  });

  test('creates a secret that is shown once, and revokes it', async () => {
    const { page } = tab;
    await goTo(page, 'Settings');
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('dashboard');
    await page.getByRole('dialog').getByText('Read', { exact: true }).click();
    await page.getByRole('button', { name: 'Create secret' }).click();
    const secret = await page.getByTestId('secret').innerText();
    const authorization = `Basic ${Buffer.from(`${service.teamId}:${secret}`).toString('base64')}`;
    const dashboard = service.anyone(authorization);
    assert.equal((await dashboard.get('/team')).body.role, 'read');
    await page.getByRole('button', { name: 'I have saved it' }).click();

    const reading = await openTab(browser, service.address);
    await signIn(reading.page, service.address, service.teamId, secret);
    await goTo(reading.page, 'Items');
    await reading.page.getByRole('link', { name: 'Long sword' }).waitFor();
    assert.equal(await reading.page.getByRole('link', { name: 'New item' }).count(), 0);

    await page.getByRole('button', { name: 'Revoke dashboard' }).click();
    await page.getByRole('button', { name: 'Revoke secret' }).click();
    await page.getByRole('cell', { name: 'dashboard', exact: true }).waitFor({ state: 'detached' });
    assert.equal((await dashboard.get('/team')).status, 401);

    // A session whose secret was revoked returns to the sign-in page, and says why.
    await goTo(reading.page, 'Spaces');
    await reading.page.getByText('This secret is no longer valid.').waitFor();
    assert.equal(await reading.page.evaluate<number>('sessionStorage.length'), 0);
    await reading.context.close();
  });

  test('forgets the secret on signing out', async () => {
    const { page } = tab;
    await page.getByText('admin secret').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Itemwright' }).waitFor();
    assert.equal(await page.evaluate<number>('sessionStorage.length'), 0);
  });

  test('caused only the expected errors, and no requests to other hosts', () => {
    assert.deepEqual(
      // The roll lab asks whether there is such a player.
      tab.complaints.filter((complaint) => !/status of 40[04]/.test(complaint)),
      [],
    );
  });
});
