import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn, type Tab } from './browser.ts';

const { SCREENSHOTS } = process.env;

const WIDE = 1440;

describe('support', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  let tab: Tab;
  let page: Page;

  const send = async (method: string, path: string, body?: object) => {
    const answer = await service.request(method, path, body);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const post = (path: string, body: object) => send('POST', path, body);
  const get = (path: string) => send('GET', path);
  const dialog = () => page.getByRole('dialog');
  const say = (reason: string) => dialog().getByRole('textbox', { name: 'Reason' }).fill(reason);
  const submit = async (action: string) => {
    await dialog().getByRole('button', { name: action, exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  const open = async (player: string, pane: string) => {
    await page.goto(`${service.address}/console/players/${player}`);
    await page.getByRole('tab', { name: pane }).click();
  };
  /** A picture of the page, and what axe finds on it, in all looks. */
  const look = async (name: string) => {
    for (const width of [WIDE, 390])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 860 });
        await page.emulateMedia({ colorScheme });
        await page.evaluate(
          'Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))',
        );
        if (SCREENSHOTS)
          await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        // In the dark, only the colours differ.
        const checks = colorScheme === 'light' ? 'all' : 'contrast';
        assert.deepEqual(await axeFaults(page, checks), [], `${name}, ${width} pixels wide, ${colorScheme}`);
      }
    await page.setViewportSize({ width: WIDE, height: 860 });
    await page.emulateMedia({ colorScheme: 'light' });
  };

  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    // Every draw gives the common tier, unless the rare one is due.
    service = await startService(empty.url, {}, () => 0.5);
    const classifierOptions = [
      { id: 'opt-5', name: 'Legendary', dropRateMultiplier: 1 },
      { id: 'opt-3', name: 'Common', dropRateMultiplier: 1 },
    ];
    const changes = [{ kind: 'classifier', id: 'rarity', after: { id: 'rarity', name: 'Rarity', classifierOptions } }];
    await post('/catalog/publish', { baseVersion: 0, changes });
    for (const [id, name, option] of [
      ['i-sword', 'Dawnblade', 'opt-5'],
      ['i-club', 'Club', 'opt-3'],
    ])
      await post('/items', { id, name, classifierOptionIds: [option] });
    const config = {
      ...{ baseRates: { 'opt-5': 0.02, 'opt-3': 0.98 }, pityTier: 'opt-5', pityThreshold: 90 },
      ...{ featuredItemIds: ['i-sword'], sparkCurrency: 100 },
    };
    await post('/templates', { id: 't-winter', name: 'Winter banner', type: 'gacha', config });
    await post('/templates', { id: 't-fair', name: 'Fair banner', type: 'gacha', config: {}, verifiable: true });
    await post('/users', { id: 'ann', externalId: 'steam:76561' });
    await post('/users', { id: 'Bob', externalId: 'psn:4711' });
    for (let tens = 0; tens < 9; tens += 1) await post('/templates/t-winter/roll', { userId: 'ann', count: 10 });
    await post('/templates/t-winter/roll', { userId: 'ann', count: 81 });
    for (const [id, itemId, userId] of [
      ['ann-club', 'i-club', 'ann'],
      ['bob-sword', 'i-sword', 'Bob'],
    ])
      await post('/item-instances', { id, itemId, userId });
    await send('PATCH', '/item-instances/bob-sword', { data: { durability: 80, engraving: 'For Bob' } });
    browser = await launchBrowser();
    tab = await openTab(browser, service.address, { width: WIDE });
    page = tab.page;
    await signIn(page, service.address, service.teamId, service.secret);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await empty?.drop();
  });

  test('finds players on the server by the beginning of id or external id', async () => {
    await goTo(page, 'Players');
    const names = page.getByRole('table', { name: 'Players' }).locator('tbody a');
    const field = page.getByRole('textbox', { name: /^Find players/ });
    await field.fill('psn:47');
    await page.getByText('1 player', { exact: true }).waitFor();
    assert.deepEqual(await names.allInnerTexts(), ['Bob']);
    assert.equal(new URL(page.url()).searchParams.get('q'), 'psn:47');
    await field.fill('an');
    await page.getByRole('link', { name: 'ann' }).waitFor();
    await field.fill('zed');
    await page.getByText('No id or external id begins with "zed".').waitFor();
    await page.reload();
    await page.getByText('No id or external id begins with "zed".').waitFor();
  });

  test('answers "80 pity and nothing" with pity, the next roll and a sentence', async () => {
    await open('ann', 'Pity and spark');
    const banner = page.getByRole('region', { name: 'Winter banner', exact: true });
    await banner
      .getByText(/^81 rolls since the last Legendary on .*; the next 9 are certain to contain one\.$/)
      .waitFor();
    await banner.getByText('171 rolls · 0 lost in a row · 171 of 100 spark points').waitFor();
    const row = (name: RegExp) =>
      banner.getByRole('table', { name: 'Pity on Winter banner' }).getByRole('row', { name });
    await row(/^Legendary\s+81 \/ 90\s+2\s%$/).waitFor();
    await row(/^Common\s+no pity\s+98\s%$/).waitFor();
    await page.getByRole('region', { name: 'Not rolled on yet' }).getByText('Fair banner').waitFor();
    await look('support-pity');
  });

  test('sets a counter with a reason, which is shown afterwards, but never one that receipts have', async () => {
    assert.equal(await page.getByRole('button', { name: 'Set counters on Fair banner' }).count(), 0);
    await page.getByRole('button', { name: 'Set counters on Winter banner' }).click();
    await dialog().getByRole('textbox', { name: 'Rolls without Legendary' }).fill('90');
    await say('ticket 7');
    await dialog().getByRole('button', { name: 'Set counters', exact: true }).click();
    await dialog()
      .getByText(/Must be at most 89/)
      .waitFor();
    await dialog().getByRole('textbox', { name: 'Spark points' }).fill('many');
    await dialog().getByText('Enter a whole number from 0 to 1,000,000').waitFor();
    await look('support-counters');
    await dialog().getByRole('textbox', { name: 'Spark points' }).fill('171');
    await dialog().getByRole('textbox', { name: 'Rolls without Legendary' }).fill('89');
    await submit('Set counters');
    await page.getByText('89 / 90').waitFor();
    await page.getByText('The counter of rolls without Legendary is at 89 rolls; it was set on').waitFor();
    const changes = page.getByText('Winter banner: pity 81 → 89');
    await changes.waitFor();
    await page.getByText('with the secret first: ticket 7').waitFor();
    assert.equal((await get('/users/ann/counter-changes')).length, 1);
  });

  test('rolls for a player, and redeems spark', async () => {
    await page.getByRole('button', { name: 'Roll on Winter banner' }).click();
    await say('the roll that was lost');
    await submit('Roll');
    await page.getByText('0 / 90').waitFor();
    const [sword] = await get('/item-instances?userId=ann&itemId=i-sword');
    assert.equal((await get(`/item-instances/${sword.id}/history`))[0].reason, 'the roll that was lost');
    await page.getByRole('button', { name: 'Redeem spark on Winter banner' }).click();
    await dialog().getByRole('combobox', { name: 'Featured item' }).click();
    await page.getByRole('option', { name: 'Dawnblade' }).click();
    await say('redeemed by phone');
    await submit('Redeem');
    await page.getByText('Spark redeemed').waitFor();
    assert.equal((await get('/item-instances?userId=ann&itemId=i-sword')).length, 2);
  });

  test('shows every roll with counters before and after, and filters them', async () => {
    await open('ann', 'Rolls');
    const table = page.getByRole('table', { name: 'Rolls' });
    await table.getByText('since Legendary 89 → 0').waitFor();
    await look('support-rolls');
    const rows = () => table.locator('tbody tr').count();
    assert.equal(await rows(), 11);
    const heights = await table
      .locator('tbody tr')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.ok(Math.max(...heights) <= 38, `a line per roll: ${heights}`);
    await table.getByText('× 9').waitFor();
    await table
      .getByRole('button', { name: /^Details of the roll/ })
      .nth(2)
      .click();
    const results = table.getByRole('list', { name: 'Results in order' }).getByRole('listitem');
    assert.equal(await results.count(), 10);
    assert.match(await results.nth(9).innerText(), /^10\.\s+Dawnblade\s+Legendary\s+pity\s+featured$/);
    await look('support-details');
    await table.getByRole('button', { name: /^Details of the roll/, expanded: true }).click();
    assert.equal(await rows(), 11);
    await page.getByRole('combobox', { name: 'Tier' }).click();
    await page.getByRole('option', { name: 'Legendary' }).click();
    await table.getByText('spark 10 → 20').waitFor({ state: 'detached' });
    assert.equal(await rows(), 2);
    assert.doesNotMatch(await table.innerText(), /opt-|t-winter|i-sword/, 'names, not ids');
    // The address keeps tab and filters.
    await page.reload();
    await table.getByText('since Legendary 89 → 0').waitFor();
    assert.equal(await rows(), 2);
    await page.getByLabel('To day (UTC)').fill('2020-01-01');
    await page.getByText('No rolls found').waitFor();
  });

  test('transfers, trades, gives several, takes and restores, each with a reason in the story of the item', async () => {
    await open('ann', 'Belongings');
    const history = page.getByRole('region', { name: 'History of the item' });
    const select = (name: string) =>
      page
        .getByRole('button', { name: `${name}, 1 × 1, not placed` })
        .first()
        .click();
    await select('Club');
    await page.getByRole('button', { name: 'Trade', exact: true }).click();
    await dialog().getByRole('combobox', { name: 'With player' }).fill('Bob');
    await dialog().getByRole('combobox', { name: 'For their item' }).click();
    await page.getByRole('option', { name: 'Dawnblade' }).click();
    await say('agreed in ticket 8');
    await look('support-trade');
    await submit('Trade');
    await page.getByText('Club traded').waitFor();
    assert.deepEqual(
      [(await get('/item-instances/ann-club')).userId, (await get('/item-instances/bob-sword')).userId],
      ['Bob', 'ann'],
    );

    await page.getByRole('button', { name: 'Give an item' }).click();
    await dialog().getByRole('combobox', { name: 'Item' }).click();
    await page.getByRole('option', { name: 'Club' }).click();
    await dialog().getByRole('textbox', { name: 'How many' }).fill('3');
    await say('lost in the outage');
    await submit('Give');
    await page.getByText('Club given 3 times').waitFor();
    assert.equal((await get('/item-instances?userId=ann&itemId=i-club')).length, 3);

    await select('Club');
    await history.getByText('“lost in the outage”').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await say('one too many');
    await submit('Remove item');
    await page.getByRole('button', { name: 'Restore Club' }).click();
    await say('it was right');
    await submit('Restore item');
    await page.getByRole('button', { name: 'Restore Club' }).waitFor({ state: 'detached' });
    assert.equal((await get('/item-instances?userId=ann&itemId=i-club')).length, 3);

    await select('Club');
    await page.getByRole('button', { name: 'Transfer', exact: true }).click();
    await dialog().getByRole('combobox', { name: 'To player' }).fill('nobody');
    await say('a present');
    await dialog().getByRole('button', { name: 'Transfer', exact: true }).click();
    await dialog().getByText('Is not a user of this team').waitFor();
    await dialog().getByRole('combobox', { name: 'To player' }).fill('Bob');
    await submit('Transfer');
    assert.equal((await get('/item-instances?userId=Bob&itemId=i-club')).length, 2);
    await look('support-belongings');
  });

  test('shows how an item changed, and locks and unlocks it', async () => {
    await open('ann', 'Belongings');
    const panel = page.getByRole('complementary', { name: 'Selected item' });
    const history = panel.getByRole('region', { name: 'History of the item' });
    const button = (name: string) => panel.getByRole('button', { name, exact: true });
    const swords = page.getByRole('button', { name: /^Dawnblade, 1 × 1, not placed/ });
    for (let place = 0; (await history.getByText('engraving: nothing → For Bob').count()) === 0; place += 1) {
      assert.ok(place < (await swords.count()), 'one of the swords was changed');
      await swords.nth(place).click();
      await history.getByText('Given').first().waitFor();
    }
    await panel.getByRole('region', { name: 'Data' }).getByText('For Bob').waitFor();
    await button('Lock').click();
    await say('disputed');
    await look('support-lock');
    await submit('Lock item');
    await history.getByText('Locked', { exact: true }).waitFor();
    await history.getByText('“disputed”').waitFor();
    for (const name of ['Transfer', 'Trade', 'Remove']) assert.ok(await button(name).isDisabled(), name);
    await page.getByRole('button', { name: 'Dawnblade, 1 × 1, not placed, locked' }).waitFor();
    assert.equal((await get('/item-instances/bob-sword')).locked, true);
    await look('support-item');
    await button('Unlock').click();
    await say('settled');
    await submit('Unlock item');
    await history.getByText('Unlocked', { exact: true }).waitFor();
    assert.ok(await button('Remove').isEnabled());
  });

  test('has a log of all rolls that refreshes by itself', async () => {
    await goTo(page, 'Roll log');
    const table = page.getByRole('table', { name: 'Rolls' });
    await table.getByText('since Legendary 89 → 0').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await post('/templates/t-winter/roll', { userId: 'Bob' });
    await table.getByRole('link', { name: 'Bob' }).waitFor();
  });

  test('does not move the log while somebody reads it', async () => {
    const table = page.getByRole('table', { name: 'Rolls' });
    await table
      .getByRole('button', { name: /^Details of the roll/ })
      .first()
      .click();
    await page.getByText('paused while you read').waitFor();
    const lines = await table.locator('tbody tr').count();
    await post('/templates/t-winter/roll', { userId: 'Bob' });
    await post('/templates/t-winter/roll', { userId: 'Bob' });
    const show = page.getByRole('button', { name: 'Show 2 new rolls' });
    await show.waitFor();
    assert.equal(await table.locator('tbody tr').count(), lines);
    await look('support-paused');
    await show.click();
    await page.getByText('live', { exact: true }).waitFor();
    await table.getByText('since Legendary 2 → 3').waitFor();
    // Without the details, which are closed.
    assert.equal(await table.locator('tbody tr').count(), lines - 1 + 2);
  });

  test('exports everything as a file, and deletes the player', async () => {
    await open('ann', 'Belongings');
    await page.getByRole('button', { name: 'More about this player' }).click();
    await page.getByRole('menuitem', { name: 'Delete the player' }).waitFor();
    await look('support-menu');
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export everything as a file' }).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'ann.json');
    const { user, itemInstances, rolls } = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.deepEqual([user.id, itemInstances.length, rolls.length], ['ann', 5, 11]);

    await page.getByRole('button', { name: 'More about this player' }).click();
    await page.getByRole('menuitem', { name: 'Delete the player' }).click();
    await dialog().getByRole('button', { name: 'Delete player' }).click();
    await dialog().getByText('Say why').waitFor();
    await say('asked to be forgotten');
    await submit('Delete player');
    await page.getByRole('heading', { level: 1, name: 'Players' }).waitFor();
    assert.equal((await service.get('/users/ann')).status, 404);
  });

  test('lets those who only read see all of it, and change nothing', async () => {
    const { secret } = await service.as('read');
    const { page: other, context } = await openTab(browser, service.address);
    await signIn(other, service.address, service.teamId, secret);
    await other.goto(`${service.address}/console/players/Bob`);
    await other.getByRole('tab', { name: 'Pity and spark' }).click();
    await other.getByText('3 / 90').waitFor();
    for (const name of ['Roll on Winter banner', 'Set counters on Winter banner', 'Give an item'])
      assert.equal(await other.getByRole('button', { name }).count(), 0, name);
    await context.close();
  });

  test('caused only the expected errors', () => {
    const expected = /status of (?:400|404)/;
    assert.deepEqual(
      tab.complaints.filter((complaint) => !expected.test(complaint)),
      [],
    );
  });
});
