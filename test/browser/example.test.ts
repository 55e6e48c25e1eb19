/** The loot game of `examples/`, started as its users start it, and played. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Belonging, ItemView, Me, Place, World } from '../../examples/loot-game/server/api.ts';
import { type Running, run } from '../processes.ts';
import { axeFaults, launchBrowser, noBrowser, openTab } from './browser.ts';

const { SCREENSHOTS } = process.env;

const read = <T>(page: Page, path: string): Promise<T> =>
  page.evaluate(async (url) => (await fetch(url)).json(), `/api/${path}`);
const meOf = (page: Page): Promise<Me> => read(page, 'me');
const share = (value: number): string =>
  new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 4 }).format(value);

const enter = async (page: Page, address: string, name = 'Ann'): Promise<void> => {
  await page.goto(address);
  await page.getByLabel('Your name').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Banner of Dawn' }).waitFor();
};
const dialogOf = (page: Page): Locator => page.getByRole('dialog');
const rollTen = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Roll ten' }).click();
  await dialogOf(page).getByRole('listitem').nth(9).waitFor();
};
const takeIt = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Take it' }).click();
  await dialogOf(page)
    .waitFor({ state: 'detached' })
    .catch(() => {});
};
const goTo = (page: Page, view: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();

interface Thing extends Belonging {
  readonly item: ItemView;
  readonly button: Locator;
}

const labelOf = ({ name, rarity, width, height }: ItemView, { x, y, rotated }: Place): string =>
  `${name}, ${rarity}, ${rotated ? `${height} by ${width}` : `${width} by ${height}`}, column ${x + 1}, row ${y + 1}${rotated ? ', turned' : ''}`;

/** Discards all but the largest item, so that there is room to move, and puts that one into the corner. */
const keepLargest = async (page: Page): Promise<Thing> => {
  const { items } = await read<World>(page, 'world');
  const { belongings } = await meOf(page);
  const itemOf = ({ itemId }: Belonging): ItemView => items.find(({ id }) => id === itemId) as ItemView;
  const cells = (belonging: Belonging): number => itemOf(belonging).width * itemOf(belonging).height;
  const [largest, ...others] = belongings.toSorted((one, other) => cells(other) - cells(one));
  assert.ok(largest !== undefined && cells(largest) > 1);
  await page.evaluate(
    async ([kept, ...ids]) => {
      for (const id of ids) await fetch(`/api/items/${id}`, { method: 'DELETE' });
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ x: 0, y: 0, rotated: false });
      await fetch(`/api/items/${kept}/move`, { method: 'POST', headers, body });
    },
    [largest.id, ...others.map(({ id }) => id)],
  );
  await page.reload();
  const item = itemOf(largest);
  return { ...largest, item, button: page.locator('#grid .item') };
};

const boxOf = async (locator: Locator) => {
  const box = await locator.boundingBox();
  assert.ok(box !== null);
  return box;
};

/** From the first cell of an item to a cell of the bag, in pixels. */
const pathTo = async (page: Page, button: Locator, { x, y }: { x: number; y: number }) => {
  await page.locator('#grid').scrollIntoViewIfNeeded();
  const [grid, from] = [await boxOf(page.locator('#grid')), await boxOf(button)];
  const cell = grid.width / 8;
  const start = { x: from.x + cell / 2, y: from.y + cell / 2 };
  return { start, end: { x: grid.x + (x + 0.5) * cell, y: grid.y + (y + 0.5) * cell } };
};

const drag = async (page: Page, button: Locator, to: { x: number; y: number }): Promise<void> => {
  const { start, end } = await pathTo(page, button, to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 });
  await page.mouse.move(end.x, end.y, { steps: 4 });
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/example-drag-${to.x}-${to.y}.png` });
  await page.mouse.up();
};

const placeOf = async (page: Page): Promise<Place | null | undefined> => (await meOf(page)).belongings[0]?.place;

describe('the loot game', { skip: noBrowser, timeout: 300_000 }, () => {
  let folder: string;
  let example: Running;
  let address: string;
  let browser: Browser;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-example-'));
    example = run('examples/loot-game/start.ts', [], {
      LOOT_GAME_DATA: folder,
      LOOT_GAME_PORT: '0',
      LOOT_GAME_SERVICE_PORT: '0',
    });
    await example.said('Ctrl-C stops the game.');
    address = /ready: (http:\S+)/.exec(example.stderr())?.[1] ?? '';
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    example?.child.kill('SIGINT');
    const { code, stderr } = (await example?.ended) ?? {};
    assert.deepEqual([code, stderr?.includes('has stopped')], [0, false], 'it stops cleanly');
    await rm(folder, { recursive: true, force: true });
  });

  const picture = async (page: Page, name: string): Promise<void> => {
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/example-${name}.png` });
  };

  test('is played: a chest, ten rolls, pity and odds as the service says', async () => {
    const { page, context, complaints } = await openTab(browser, address, { scheme: 'dark' });
    await page.goto(address);
    await page.getByText('There are no passwords').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await enter(page, address);
    await page.getByText('100 of 100').waitFor();

    await goTo(page, 'Chest');
    await page.getByRole('button', { name: 'Open a chest' }).click();
    await dialogOf(page).getByRole('listitem').nth(2).waitFor();
    await dialogOf(page)
      .getByText(/^You got: .+, \w+; .+, \w+; .+, \w+\.$/)
      .waitFor({ state: 'attached' });
    assert.deepEqual(await axeFaults(page), []);
    await picture(page, 'chest');
    await takeIt(page);

    await goTo(page, 'Banner');
    // An impatient player: the second click must not roll again.
    await page.getByRole('button', { name: 'Roll ten' }).dblclick();
    await dialogOf(page).getByRole('listitem').nth(9).waitFor();
    await picture(page, 'ten');
    await takeIt(page);
    await page.getByText('88 of 100').waitFor();
    const [me, world] = [await meOf(page), await read<World>(page, 'world')];
    assert.deepEqual([me.banner.rolls, me.chest.rolls, me.belongings.length], [10, 1, 13]);

    const banner = page.locator('#banner');
    await banner.getByText(`Legendary ${me.banner.sinceTop} of 50 rolls without one`).waitFor();
    await banner.getByText(`Epic ${me.banner.pities[0]?.since} of 10 rolls without one`).waitFor();
    const chances = await banner.locator('.chances strong').allTextContents();
    assert.deepEqual(
      chances,
      me.banner.next.map(({ rate }) => share(rate)),
    );
    const row = await banner
      .getByRole('row', { name: /^Legendary/ })
      .getByRole('cell')
      .allTextContents();
    const [top] = world.banner.tiers;
    assert.deepEqual(row.slice(-4, -2), [share(top?.base ?? 0), share(top?.effective ?? 0)]);
    assert.equal(row.at(-1), '50');
    assert.deepEqual(await axeFaults(page), []);
    await picture(page, 'banner');

    const popup = page.waitForEvent('popup');
    await banner.getByRole('link', { name: 'The public page of these odds' }).click();
    await (await popup).getByRole('heading', { level: 1, name: 'Banner of Dawn' }).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('shows the result after a reload in the middle of a roll, and finishes what failed, once', async () => {
    const { page, context, complaints } = await openTab(browser, address);
    await enter(page, address);
    const { promise: rolled, resolve } = Promise.withResolvers<{ receipt: string }>();
    // The server rolls, but its response never arrives.
    await page.route('**/api/rolls', async (route) => resolve(await (await route.fetch()).json()));
    await page.getByRole('button', { name: 'Roll ten' }).click();
    const { receipt } = await rolled;
    await page.unroute('**/api/rolls');
    await page.reload();
    await dialogOf(page).getByText(receipt).waitFor();
    await page.reload();
    await dialogOf(page).getByText(receipt).waitFor();
    await takeIt(page);
    await page.reload();
    await page.getByText('90 of 100').waitFor();
    assert.equal(await dialogOf(page).count(), 0);
    assert.deepEqual(complaints, []);

    await page.route('**/api/rolls', (route) => route.abort());
    await page.getByRole('button', { name: 'Roll ten' }).click();
    await page.locator('.toast').getByText('Nothing is lost: try again soon.').waitFor();
    await page.getByText('Your last roll is not finished.').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await picture(page, 'unfinished');
    await page.unroute('**/api/rolls');
    await page.getByRole('button', { name: 'Try again' }).click();
    await dialogOf(page).getByRole('listitem').nth(9).waitFor();
    await takeIt(page);
    await page.getByText('80 of 100').waitFor();
    assert.equal((await meOf(page)).banner.rolls, 20);
    assert.equal(complaints.filter((text) => !/ERR_FAILED/.test(text)).length, 0);
    await context.close();
  });

  test('lets items be dragged, turned and moved by keys, and puts back what the server refuses', async () => {
    const { page, context, complaints } = await openTab(browser, address);
    await enter(page, address);
    await rollTen(page);
    await takeIt(page);
    const { item, button } = await keepLargest(page);
    await page.getByRole('button', { name: labelOf(item, { x: 0, y: 0, rotated: false }) }).waitFor();

    const there = { x: 3, y: 4, rotated: false };
    await drag(page, button, there);
    await page.getByRole('button', { name: labelOf(item, there) }).waitFor();
    await page.locator('.item:not(.waiting)').waitFor();
    assert.deepEqual(await placeOf(page), there);

    // The last cell has room for the smallest items only.
    await drag(page, button, { x: 7, y: 7 });
    await page.getByText(`${item.name} goes back. It does not fit there.`).first().waitFor();
    await page.getByRole('button', { name: labelOf(item, there) }).waitFor();
    assert.deepEqual(await placeOf(page), there);
    await picture(page, 'refused');
    // Chromium reports every response with an error.
    assert.deepEqual(complaints.splice(0), [
      'console: Failed to load resource: the server responded with a status of 409 (Conflict)',
    ]);

    await button.focus();
    for (const key of ['Enter', 'ArrowLeft', 'ArrowUp', 'ArrowUp', 'r', 'Enter']) await page.keyboard.press(key);
    const turned = { x: 2, y: 2, rotated: true };
    await page.getByRole('button', { name: labelOf(item, turned) }).waitFor();
    await page.locator('.item:not(.waiting)').waitFor();
    assert.deepEqual(await placeOf(page), turned);
    for (const key of ['Enter', 'ArrowRight', 'Escape']) await page.keyboard.press(key);
    assert.deepEqual(await placeOf(page), turned);
    await page.getByRole('button', { name: 'Pack tightly' }).click();
    await page.locator('.toast').getByText('The bag is packed.').waitFor();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.locator('.toast').getByText(`${item.name} is gone.`).waitFor();
    await page.locator('.item').waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('works on a narrow screen and by touch', async () => {
    const { page, context, complaints } = await openTab(browser, address, { width: 360, hasTouch: true });
    await enter(page, address);
    await rollTen(page);
    await picture(page, 'narrow-ten');
    await takeIt(page);
    for (const view of ['Chest', 'Fairness', 'Bag', 'Banner']) {
      await goTo(page, view);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${view} is ${overflow} pixels too wide`);
      assert.deepEqual(await axeFaults(page), [], view);
      await picture(page, `narrow-${view.toLowerCase()}`);
    }
    await goTo(page, 'Bag');
    const { item, button } = await keepLargest(page);
    await page.getByRole('button', { name: labelOf(item, { x: 0, y: 0, rotated: false }) }).waitFor();
    const there = { x: 5, y: 3, rotated: false };
    const { start, end } = await pathTo(page, button, there);
    const touch = await context.newCDPSession(page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    await send('touchStart', [start]);
    for (const part of [0.2, 0.5, 0.8, 1])
      await send('touchMove', [{ x: start.x + part * (end.x - start.x), y: start.y + part * (end.y - start.y) }]);
    await send('touchEnd', []);
    await page.getByRole('button', { name: labelOf(item, there) }).waitFor();
    await page.locator('.item:not(.waiting)').waitFor();
    assert.deepEqual(await placeOf(page), there);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('gives a proof that the page of the service verifies', async () => {
    const { page, context, complaints } = await openTab(browser, address);
    await enter(page, address);
    await rollTen(page);
    await takeIt(page);
    await goTo(page, 'Fairness');
    await page.getByText('There is no proof yet').waitFor();
    const before = (await meOf(page)).fairness;
    await page.getByText(before.nextCommitment).waitFor();
    assert.equal(before.epoch, 0);
    await page.getByLabel('Your next seed').fill('lucky clover');
    await page.getByRole('button', { name: 'Use this seed' }).click();
    await page.getByRole('definition').getByText('lucky clover').waitFor();
    assert.equal((await meOf(page)).fairness.commitment, before.nextCommitment);
    assert.deepEqual(await axeFaults(page), []);
    await picture(page, 'fairness');

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Proof of epoch 0' }).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'proof-0.json');
    const file = join(folder, 'proof-0.json');
    await download.saveAs(file);
    assert.equal(JSON.parse(await readFile(file, 'utf8')).v, 2);

    const popup = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Verify rolls' }).click();
    const verifier = await popup;
    await page.getByText('Receipts that this browser kept (1)').click();
    await verifier
      .getByLabel('Receipts that you kept')
      .fill(await page.getByLabel('Receipts', { exact: true }).inputValue());
    await verifier.getByLabel('Choose proofs').setInputFiles(file);
    await verifier.getByRole('heading', { level: 2, name: 'Everything is right' }).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
