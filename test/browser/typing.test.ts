import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, CDPSession, Locator, Page } from 'playwright-core';
import { type Client, createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const ITEMS = 5_000;
const RARITIES = ['Common', 'Uncommon', 'Rare', 'Epic', 'Legendary'];

/** What a person notices. CPU time of the main thread, so that a busy machine makes no difference. */
const MOST_MS_PER_KEY = 50;

const catalog = () => ({
  formatVersion: 1,
  merge: true,
  baseVersion: 0,
  classifiers: [
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
  items: Array.from({ length: ITEMS }, (_, number) => ({
    id: `item-${number}`,
    name: `${RARITIES[number % 5]} thing ${number}`,
    rollNumerator: 1 + (number % 97),
    classifierOptionIds: [(RARITIES[number % 5] as string).toLowerCase()],
  })),
  templates: [
    {
      ...{ id: 'banner', name: 'Banner', type: 'gacha' },
      config: {
        baseRates: { common: 60, uncommon: 25, rare: 10, epic: 4, legendary: 1 },
        ...{ pityThreshold: 90, featuredItemIds: ['item-4'], featuredShare: 0.5, guaranteeAfterLosses: 1 },
      },
    },
  ],
});

/** CPU time of the main thread so far. */
const cpuMs = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
};

describe('typing with 5,000 items', { skip: noBrowser }, () => {
  let database: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  let team: Client;
  let page: Page;
  let session: CDPSession;

  before(async () => {
    database = await createEmptyDatabase('sqlite');
    service = await startService(database.url);
    browser = await launchBrowser();
    team = await service.anotherTeam();
    assertDone(await team.post('/catalog/publish', catalog()));
    const tab = await openTab(browser, service.address);
    ({ page } = tab);
    await signIn(page, service.address, team.teamId, team.secret);
    session = await tab.context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await database?.drop();
  });

  /** Types at the pace of a person, until everything that follows from it is drawn. */
  const measure = async (t: TestContext, what: string, field: Locator, text: string): Promise<void> => {
    await field.click();
    await field.press('End');
    await page.waitForTimeout(500);
    const began = await cpuMs(session);
    await field.pressSequentially(text, { delay: 120 });
    await page.waitForTimeout(1_500);
    const each = ((await cpuMs(session)) - began) / text.length;
    t.diagnostic(`${what}: ${each.toFixed(1)} ms of CPU per keystroke`);
    assert.ok(each < MOST_MS_PER_KEY, `${what}: ${each.toFixed(1)} ms per keystroke`);
  };

  test('searches items', async (t) => {
    await goTo(page, 'Items');
    await page.getByRole('table', { name: 'Items' }).waitFor();
    // Only what is in sight is in the page.
    assert.ok((await page.getByRole('table', { name: 'Items' }).getByRole('row').count()) < 70);
    await measure(t, 'items, search', page.getByLabel('Search items by name or id'), 'legendary 49');
    await page.getByText('of 5,000 items').waitFor();
  });

  test('edits an item', async (t) => {
    await page.getByLabel('Search items by name or id').fill('legendary thing 4999');
    await page.getByRole('link', { name: 'Legendary thing 4999' }).click();
    const weight = page.getByLabel('Base weight');
    await weight.waitFor();
    await measure(t, 'item, name', page.getByRole('textbox', { name: 'Name', exact: true }), ' renamed');
    await measure(t, 'item, weight', weight, '012345');
  });

  test('edits a template', async (t) => {
    await page.evaluate("history.pushState(null, '', '/console/templates/banner')");
    const leave = page.getByRole('button', { name: 'Leave' });
    if ((await leave.count()) > 0) await leave.click();
    await page.getByRole('table', { name: 'Odds of the items' }).waitFor();
    await measure(t, 'template, name', page.getByRole('textbox', { name: 'Name', exact: true }), ' of the dawn');
    await measure(t, 'template, rate', page.getByLabel('Rate of Rare'), '.123456');
    await measure(
      t,
      'template, featured items',
      page.getByRole('combobox', { name: 'Featured' }),
      'legendary thing 49',
    );
  });
});
