import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { seed } from '../../src/demo/seed.ts';
import { basic, createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { cheapDraws } from '../statistics.ts';
import { axeFaults, launchBrowser, noBrowser, onlyOnNarrow, openTab, signIn, type Tab } from './browser.ts';

const { SCREENSHOTS } = process.env;

/** Every page with its heading; detail pages use objects of the demo. */
const PAGES = {
  '/': 'Overview',
  '/items': 'Items',
  '/items/dawnbreaker': 'Dawnbreaker',
  '/new-item': 'New item',
  '/classifiers': 'Classifiers',
  '/attributes': 'Attributes',
  '/drafts': 'Drafts',
  '/history': 'History',
  '/history/1': 'Version 1',
  '/history?kind=item&id=dawnbreaker': 'History of Dawnbreaker',
  '/templates': 'Templates',
  '/templates/dawn-banner': 'Banner of Dawn',
  '/templates/adventurers-pack': "Adventurer's Pack",
  '/templates/emberfall-depths': 'Depths of Emberfall',
  '/templates/expedition': 'Expedition',
  '/new-template': 'New template',
  '/simulator': 'Simulator',
  '/roll-lab': 'Roll lab',
  '/roll-log': 'Roll log',
  '/statistics': 'Statistics',
  '/players': 'Players',
  '/players/player-aderyn': 'player-aderyn',
  '/spaces': 'Spaces',
  '/settings': 'Settings',
};

interface EvidenceRow {
  readonly kind: string;
  readonly id: string;
  readonly rolls: number;
  readonly hits: number;
  readonly expected: number;
}

describe('every page of the console', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  let tab: Tab;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    // The same rolls each time, so that no test depends on luck.
    service = await startService(empty.url, {}, cheapDraws(1));
    const { app, setClock, teamId, secret } = service;
    await seed({ app, setClock, authorization: basic(teamId, secret) });
    browser = await launchBrowser();
    tab = await openTab(browser, service.address);
    await signIn(tab.page, service.address, teamId, secret);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await empty?.drop();
  });

  test('shows a populated demo game', async () => {
    const count = async (path: string) => (await service.get(path)).body.length;
    assert.deepEqual(
      [await count('/items'), await count('/templates'), await count('/spaces'), await count('/users')],
      [60, 4, 3, 20],
    );
    const { rollsByDay } = (await service.get('/roll-events/stats')).body;
    const counts = new Set(rollsByDay.map(({ count: rolled }: { count: number }) => rolled));
    assert.ok(rollsByDay.length >= 29 && counts.size >= 25, JSON.stringify(rollsByDay));
    for (const { id } of (await service.get('/users')).body)
      assert.ok((await count(`/item-instances?userId=${id}`)) > 20, id);
  });

  const SCHEMES = ['light', 'dark'] as const;
  const NARROW = 380;
  const WIDTHS = [1280, NARROW];

  const check = async (path: string, heading: string, expected?: RegExp) => {
    const { page, complaints } = tab;
    complaints.length = 0;
    // Navigates like a link, without reloading the console.
    await page.evaluate(`history.pushState(null, '', '/console${path}')`);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 860 });
      // The content slides to where the navigation was; until then, it is wider than the screen.
      await page.evaluate(
        'Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))',
      );
      const look = `${path}, ${width} pixels wide`;
      const shown = width === NARROW ? await onlyOnNarrow(page, path === '/') : ['html'];
      assert.deepEqual(await axeFaults(page, shown.length > 0 ? 'structure' : 'layout'), [], look);
      for (const colorScheme of shown.length === 0 ? [] : SCHEMES) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await axeFaults(page, 'contrast', shown), [], `${look}, in ${colorScheme}`);
        if (SCREENSHOTS) {
          const name = `${path.replaceAll(/[^a-z0-9]+/gi, '-')}-${width}-${colorScheme}.png`;
          await page.screenshot({ path: `${SCREENSHOTS}/${name}`, fullPage: true });
        }
      }
      const beyond = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      assert.equal(beyond, 0, `${look} is wider than the screen`);
    }
    assert.deepEqual(
      complaints.filter((complaint) => !expected?.test(complaint)),
      [],
      path,
    );
  };

  for (const [path, heading] of Object.entries(PAGES)) {
    test(`has no errors in light and dark, wide and narrow: ${path}`, () => check(path, heading));
  }

  test('sorts a table by any column, and draws only the rows in sight', async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.evaluate("history.pushState(null, '', '/console/items')");
    const table = page.getByRole('table', { name: 'Items' });
    const heading = (name: string) => table.getByRole('columnheader', { name });
    await page.getByRole('button', { name: 'Choose columns' }).click();
    // Instead of the base weight: with multipliers, as the odds are.
    for (const column of ['Weight', 'Base weight'])
      await page.getByRole('menuitemcheckbox', { name: column, exact: true }).click();
    await page.keyboard.press('Escape');
    const weights = async () => {
      const headings = await table.getByRole('columnheader').allInnerTexts();
      const place = headings.findIndex((text) => text.startsWith('Weight')) + 1;
      const cells = await table.locator(`tbody td:nth-child(${place})`).allInnerTexts();
      return cells.map((text) => Number(text.replaceAll(',', '')));
    };
    const isAscending = (numbers: readonly number[]) =>
      numbers.every((number, place) => number >= (numbers[place - 1] ?? 0));
    await table.waitFor();
    assert.equal(await heading('Odds').getAttribute('aria-sort'), 'descending');
    assert.ok(isAscending((await weights()).toReversed()));

    await heading('Weight').getByRole('button').click();
    assert.equal(await heading('Weight').getAttribute('aria-sort'), 'ascending');
    assert.equal(await heading('Odds').getAttribute('aria-sort'), 'none');
    const first = await weights();
    const rows = Number(await table.getAttribute('aria-rowcount')) - 1;
    assert.ok(rows === 60 && first.length < rows && isAscending(first), JSON.stringify([rows, first]));
    await table.locator('..').evaluate((frame) => frame.scrollTo({ top: frame.scrollHeight }));
    await table.locator(`tr[aria-rowindex="${rows + 1}"]`).waitFor();
    const last = await weights();
    assert.ok(isAscending(last) && (last.at(-1) ?? 0) >= (first.at(-1) ?? 0), JSON.stringify([first, last]));
    await heading('Weight').getByRole('button').click();
    assert.equal(await heading('Weight').getAttribute('aria-sort'), 'descending');
    assert.equal((await weights())[0], last.at(-1));

    const search = page.getByRole('textbox', { name: 'Search items by name or id' });
    await search.fill('dawnbreaker');
    await page.getByText('1 of 60 items').waitFor();
    assert.equal((await weights()).length, 1);
    await search.fill('no such item');
    await page.getByRole('heading', { name: 'No matching items' }).waitFor();
    await page.getByText('0 of 60 items').waitFor();
  });

  test('has no errors with a draft either, and shows what it changes', async () => {
    const { page } = tab;
    const catalog = (await service.get('/catalog')).body;
    const rarity = catalog.classifiers.find(({ name }: { name: string }) => name === 'Rarity');
    const entity = (list: { id: string }[], id: string) => list.find((one) => one.id === id);
    const legendary = rarity.classifierOptions.find(({ name }: { name: string }) => name === 'Legendary');
    legendary.dropRateMultiplier = 0.02;
    const { status, body: draft } = await service.post('/catalog/drafts', {
      name: 'Winter banner',
      changes: [
        { kind: 'classifier', id: rarity.id, after: rarity },
        { kind: 'item', id: 'copper-ore', after: { ...entity(catalog.items, 'copper-ore'), rollNumerator: 10 } },
        { kind: 'item', id: 'iron-ore', after: null },
        { kind: 'item', id: 'snowball', after: { id: 'snowball', name: 'Snowball' } },
        { kind: 'space', id: 'sledge', after: { id: 'sledge', name: 'Sledge', cols: 3, rows: 2 } },
        { kind: 'attribute', id: 'cold', after: { id: 'cold', name: 'Cold', min: 0, max: 10 } },
        {
          kind: 'template',
          id: 'winter',
          after: { id: 'winter', name: 'Winter', type: 'gacha', config: { pityThreshold: 50 } },
        },
      ],
    });
    assert.equal(status, 200, JSON.stringify(draft));
    const choose = (choice: string) =>
      page.evaluate(
        `localStorage.setItem('itemwright.catalog.${service.teamId}', '${choice}'); window.dispatchEvent(new Event('storage'))`,
      );
    await choose(`draft:${draft.id}`);
    await page.getByRole('region', { name: 'Catalog' }).getByText('· 7 changes').waitFor();
    for (const [path, heading, words] of [
      [`/drafts/${draft.id}`, 'Winter banner', 'Based on'],
      ['/items', 'Items', 'new in draft'],
      ['/items/copper-ore', 'Copper Ore', 'changed in draft'],
      ['/items/iron-ore', 'Iron Ore', 'Deleted in this draft'],
      ['/classifiers', 'Classifiers', 'changed in draft'],
      ['/spaces', 'Spaces', 'new in draft'],
      ['/templates/winter', 'Winter', 'new in draft'],
      ['/simulator?template=winter', 'Simulator', 'Run the simulation'],
      ['/roll-lab', 'Roll lab', 'These are test rolls on the draft'],
    ] as const) {
      await check(path, heading);
      await page.getByText(words).first().waitFor();
    }
    await choose('live');
  });

  test('has a navigation that opens on a narrow screen, and is inert while closed', async () => {
    const { page, complaints } = tab;
    complaints.length = 0;
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await page.setViewportSize({ width: 380, height: 860 });
    await navigation.waitFor({ state: 'hidden' });
    const burger = page.getByRole('button', { name: 'Navigation' });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await burger.click();
      await navigation.getByRole('link', { name: 'Spaces' }).waitFor();
      assert.deepEqual(await axeFaults(page), [], colorScheme);
      await page.keyboard.press('Escape');
      await navigation.waitFor({ state: 'hidden' });
    }
    await burger.click();
    await navigation.getByRole('link', { name: 'Statistics' }).click();
    await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor();
    await navigation.waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1280, height: 860 });
    assert.deepEqual(complaints, []);
  });

  test('finds no fault with the rolls of the demo', async () => {
    const { page } = tab;
    const card = page.getByRole('region', { name: 'Results against odds' });
    await card.getByText('No evidence against any published odds.').waitFor();
    const streams = card.getByRole('button', { name: /No evidence against the published odds/ });
    assert.equal(await streams.count(), 5);
    await streams.filter({ hasText: 'Banner of Dawn' }).click();
    const table = card.getByRole('table', { name: 'Results of Banner of Dawn' });
    for (const part of ['Tiers', 'While pity raises the odds', 'Featured share', 'Items'])
      await table.getByRole('rowheader', { name: new RegExp(`^${part}`) }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
  });

  test('compares drops with what was promised for the very same rolls, and exports them as CSV', async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.getByRole('combobox', { name: 'Rolled by' }).click();
    await page.getByRole('option', { name: 'Banner of Dawn' }).click();
    const table = page.getByRole('table', { name: 'Drops', exact: true });
    await table.getByRole('columnheader', { name: 'Expected' }).waitFor();
    const evidence: { templateId: string; rows: EvidenceRow[] }[] = (await service.get('/roll-events/evidence')).body;
    const compared = evidence.find(({ templateId }) => templateId === 'dawn-banner')?.rows ?? [];
    const { classifiers } = (await service.get('/catalog')).body;
    const options: { id: string; name: string }[] = classifiers.flatMap(
      ({ classifierOptions }: { classifierOptions: object[] }) => classifierOptions,
    );
    const legendary = options.find(({ name }) => name === 'Legendary');
    const tier = compared.find(({ kind, id }) => kind === 'tier' && id === legendary?.id);
    assert.ok(tier !== undefined);
    // What was promised for these very rolls, by their counters: not the rate of the long run, which is another one.
    const promised = tier.expected / tier.rolls;
    assert.ok(Math.abs(promised - 0.01605205) > 1e-4, String(promised));
    const tiers = page.getByRole('table', { name: 'Drops by tier' });
    await tiers
      .getByRole('row', {
        name: new RegExp(`^Legendary\\s+${tier.hits}\\s.*\\s${(100 * promised).toPrecision(3)}\\s%$`, 's'),
      })
      .waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const [head, ...rows] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    assert.equal(head, 'itemId,itemName,drops,share,compared,expected');
    assert.equal(rows.length, 27);
    const [, , drops = 0, share, came, expected = 0] =
      rows
        .find((row) => row.startsWith('dawnbreaker,'))
        ?.split(',')
        .map(Number) ?? [];
    const { totalRolls } = (await service.get('/roll-events/stats?templateId=dawn-banner')).body;
    assert.equal(share, drops / totalRolls);
    const dawnbreaker = compared.filter(({ kind, id }) => kind === 'item' && id === 'dawnbreaker');
    assert.equal(came, drops);
    assert.ok(Math.abs(expected - dawnbreaker.reduce((sum, row) => sum + row.expected, 0)) < 1e-9);
    // Over some days only, it is not known what was promised, and the rate of the long run is no substitute.
    await page.getByLabel('From (UTC)').fill('2020-01-01');
    await page.getByText('clear the dates to see it').waitFor();
    assert.equal(await table.getByRole('columnheader', { name: 'Expected' }).count(), 0);
    assert.equal(await tiers.count(), 0);
  });

  test('copies the odds of a template for disclosure, and the request of a page as a curl command', async () => {
    const { page } = tab;
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.evaluate("history.pushState(null, '', '/console/templates/dawn-banner')");
    await page.getByRole('button', { name: 'Copy disclosure' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const disclosure = await copied();
    assert.match(disclosure, /^# Odds of Banner of Dawn\n/);
    assert.match(disclosure, /\| Legendary \| 0\.6 % \| 1\.605205 % \| 62\.3 \| 90 \|/);
    assert.match(disclosure, /\| Dawnbreaker \(featured\) \| Legendary \| 0\.3 % \|/);

    await page.getByRole('button', { name: "Show this page's request as a curl command" }).click();
    const popover = page.getByRole('dialog');
    await popover.getByRole('button', { name: 'Copy', exact: true }).click();
    await popover.getByRole('button', { name: 'Copied' }).waitFor();
    const { stdout } = await promisify(execFile)('sh', ['-c', await copied()], {
      env: { ...process.env, ITEMWRIGHT_CREDENTIALS: `${service.teamId}:${service.secret}` },
    });
    assert.equal(JSON.parse(stdout).templateId, 'dawn-banner');
  });
});
