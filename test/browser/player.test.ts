import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { axeFaults, launchBrowser, noBrowser, openTab, signIn, type Tab } from './browser.ts';

const CELL = 44;

describe('the player page', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  let tab: Tab;
  let bagId: string;

  const create = async (path: string, body: object) => {
    const { status, body: created } = await service.post(path, body);
    assert.equal(status, 200, JSON.stringify(created));
    return created;
  };
  const give = (itemId: string, x: number, y: number) =>
    create('/item-instances', {
      id: `the-${itemId}`,
      itemId,
      userId: 'ann',
      userSpaceId: bagId,
      spacePositionX: x,
      spacePositionY: y,
    });
  /** The placement in the database: column, row and rotation. */
  const positionOf = async (id: string) => {
    const { itemInstanceSpace: placed } = (await service.get(`/item-instances/${id}`)).body;
    return placed && [placed.spacePositionX, placed.spacePositionY, placed.rotated];
  };
  /** The screen is ahead of the service, so this waits a moment. */
  const waitForPosition = async (id: string, x: number, y: number, rotated: boolean) => {
    for (let tries = 0; tries < 50 && !isDeepStrictEqual(await positionOf(id), [x, y, rotated]); tries += 1)
      await setTimeout(100);
    assert.deepEqual(await positionOf(id), [x, y, rotated], id);
  };
  const thing = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  /** Drags an item by its first cell, by the given columns and rows. */
  const drag = async (page: Page, name: string, columns: number, rows: number) => {
    const box = await thing(page, name).boundingBox();
    assert.ok(box, name);
    const [x, y] = [box.x + CELL / 2, box.y + CELL / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + columns * CELL, y + rows * CELL, { steps: 8 });
    await page.mouse.up();
  };
  const dismiss = async (page: Page, reason: string) => {
    const notice = page.getByRole('alert').filter({ hasText: reason });
    await notice.waitFor();
    await notice.getByRole('button').click();
    await notice.waitFor({ state: 'detached' });
  };

  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
    await create('/attributes', { id: 'damage', name: 'Damage' });
    await create('/items', { id: 'gem', name: 'Gem' });
    await create('/items', { id: 'shield', name: 'Shield', width: 2, height: 2 });
    await create('/items', {
      id: 'sword',
      name: 'Sword',
      height: 3,
      itemAttributes: [{ attributeId: 'damage', min: 10, max: 20 }],
    });
    await create('/spaces', { id: 'chest', name: 'Chest', cols: 6, rows: 4 });
    bagId = (await create('/users/ann/spaces', { spaceId: 'chest' })).id;
    await give('sword', 0, 0);
    await give('gem', 3, 0);
    await give('shield', 4, 0);
    await create('/item-instances', { id: 'loose-gem', itemId: 'gem', userId: 'ann' });
    browser = await launchBrowser();
    tab = await openTab(browser, service.address);
    await signIn(tab.page, service.address, service.teamId, service.secret);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await empty?.drop();
  });

  test('is found by id, and draws the bags', async () => {
    const { page } = tab;
    await page.goto(`${service.address}/console/players`);
    await page.getByRole('link', { name: 'ann' }).click();
    await page.getByRole('heading', { level: 2, name: 'Chest' }).waitFor();
    await thing(page, 'Sword, 1 × 3, column 1, row 1').waitFor();
    await thing(page, 'Gem, 1 × 1, not placed').waitFor();
  });

  test('moves a dragged item, in the database too', async () => {
    const { page } = tab;
    await drag(page, 'Gem, 1 × 1, column 4, row 1', 2, 3);
    await thing(page, 'Gem, 1 × 1, column 6, row 4').waitFor();
    await waitForPosition('the-gem', 5, 3, false);
  });

  test('moves back and gives the reason if the service rejects a move', async () => {
    const { page } = tab;
    await drag(page, 'Gem, 1 × 1, column 6, row 4', -1, -2);
    await dismiss(page, 'Shield would not fit at 5, 3');
    await thing(page, 'Gem, 1 × 1, column 6, row 4').waitFor();
    await thing(page, 'Shield, 2 × 2, column 5, row 1').waitFor();
    await drag(page, 'Sword, 1 × 3, column 1, row 1', 1, 2);
    await dismiss(page, 'is outside the grid of 6 × 4 cells');
    await thing(page, 'Sword, 1 × 3, column 1, row 1').waitFor();
    await drag(page, 'Sword, 1 × 3, column 1, row 1', 10, 1);
    await dismiss(page, 'It was dropped outside of every bag.');
    await thing(page, 'Sword, 1 × 3, column 1, row 1').waitFor();
    assert.deepEqual(
      [await positionOf('the-gem'), await positionOf('the-shield'), await positionOf('the-sword')],
      [
        [5, 3, false],
        [4, 0, false],
        [0, 0, false],
      ],
    );
  });

  test('swaps a dragged item with what is at the target', async () => {
    const { page } = tab;
    await drag(page, 'Sword, 1 × 3, column 1, row 1', 4, 0);
    await thing(page, 'Shield, 2 × 2, column 1, row 1').waitFor();
    await thing(page, 'Sword, 1 × 3, column 5, row 1').waitFor();
    await waitForPosition('the-shield', 0, 0, false);
    await waitForPosition('the-sword', 4, 0, false);
  });

  test('works by keyboard: pick up, rotate, put down, and move by coordinates', async () => {
    const { page } = tab;
    await thing(page, 'Sword, 1 × 3, column 5, row 1').focus();
    await page.keyboard.press('Space');
    await page.getByText('Sword picked up.').waitFor({ state: 'attached' });
    for (const key of ['ArrowLeft', 'ArrowLeft', 'r']) await page.keyboard.press(key);
    await page.getByText('Chest, column 3, row 1, free').waitFor({ state: 'attached' });
    await page.keyboard.press('Space');
    await thing(page, 'Sword, 3 × 1, column 3, row 1').waitFor();
    await thing(page, 'Sword, 3 × 1, column 3, row 1').press('Enter');
    const panel = page.getByRole('complementary', { name: 'Selected item' });
    await panel.getByText('of 10 to 20').waitFor();
    await page.keyboard.press('r');
    await thing(page, 'Sword, 1 × 3, column 3, row 1').waitFor();
    await panel.getByRole('textbox', { name: 'X' }).fill('3');
    await panel.getByRole('textbox', { name: 'Y' }).fill('1');
    await page.keyboard.press('Enter');
    await thing(page, 'Sword, 1 × 3, column 4, row 2').waitFor();
    await waitForPosition('the-sword', 3, 1, false);
    assert.deepEqual(await axeFaults(page), []);
  });

  test('places an item that is in no bag', async () => {
    const { page } = tab;
    await thing(page, 'Gem, 1 × 1, not placed').click();
    await page.getByRole('button', { name: 'First free position' }).click();
    await thing(page, 'Gem, 1 × 1, column 3, row 1').waitFor();
    await page.getByText('All items of the player are in bags.').waitFor();
    await waitForPosition('loose-gem', 2, 0, false);
  });

  test('sorts a bag', async () => {
    const { page } = tab;
    await page.getByRole('button', { name: 'Sort Chest' }).click();
    await page.getByRole('alert').filter({ hasText: 'Chest sorted' }).waitFor();
    const { itemInstances } = (await service.get(`/users/ann/spaces/${bagId}`)).body;
    assert.equal(itemInstances.length, 4);
    assert.deepEqual(await positionOf('the-shield'), [0, 0, false]);
  });

  test('gives a bag, and removes it', async () => {
    const { page } = tab;
    const bags = async () => (await service.get('/users/ann/spaces')).body;
    await page.getByRole('button', { name: 'More about this player' }).click();
    await page.getByRole('menuitem', { name: 'Give a bag' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    await dialog.getByText('Choose a space').waitFor();
    await dialog.getByRole('combobox', { name: 'Space' }).click();
    await page.getByRole('option', { name: 'Chest, 6 × 4' }).click();
    await dialog.getByRole('textbox', { name: 'External id' }).fill('spare');
    assert.deepEqual(await axeFaults(page), []);
    await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'Chest (spare)' }).waitFor();
    const [, spare] = await bags();
    assert.deepEqual([spare.spaceId, spare.externalId], ['chest', 'spare']);

    await page.getByRole('button', { name: 'Remove Chest (spare)' }).click();
    await dialog.getByRole('button', { name: 'Remove bag' }).click();
    await page.getByRole('heading', { level: 2, name: 'Chest (spare)' }).waitFor({ state: 'detached' });
    assert.equal((await bags()).length, 1);
  });

  test('moves an item dragged by touch, on a narrow screen', async () => {
    const { page, context, complaints } = await openTab(browser, service.address, { width: 380, hasTouch: true });
    await signIn(page, service.address, service.teamId, service.secret);
    const { id: userSpaceId } = await create('/users/bea/spaces', { spaceId: 'chest' });
    await create('/item-instances', { id: 'her-shield', itemId: 'shield', userId: 'bea', userSpaceId });
    await page.goto(`${service.address}/console/players/bea`);
    await thing(page, 'Shield, 2 × 2, column 1, row 1').waitFor();
    const box = await thing(page, 'Shield, 2 × 2, column 1, row 1').boundingBox();
    assert.ok(box);
    const client = await context.newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', columns = 0, rows = 0) => {
      const point = { x: box.x + (columns + 0.5) * CELL, y: box.y + (rows + 0.5) * CELL };
      return client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [point] });
    };
    await touch('touchStart');
    // Moving a finger immediately scrolls; holding it picks up.
    await page.getByText('Shield picked up.').waitFor({ state: 'attached' });
    for (let step = 1; step <= 8; step += 1) await touch('touchMove', step / 4, step / 4);
    await touch('touchEnd');
    await thing(page, 'Shield, 2 × 2, column 3, row 3').waitFor();
    await waitForPosition('her-shield', 2, 2, false);
    await thing(page, 'Shield, 2 × 2, column 3, row 3').tap();
    await page.getByRole('dialog', { name: 'Selected item' }).getByText('History').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('gives an item, shows its history, and removes it', async () => {
    const { page } = tab;
    const owned = async () => (await service.get('/item-instances?userId=ann&itemId=shield')).body.length;
    await page.getByRole('button', { name: 'Give an item' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Item' }).fill('Shi');
    await page.getByRole('option', { name: 'Shield' }).click();
    await dialog.getByRole('combobox', { name: 'Bag' }).click();
    await page.getByRole('option', { name: 'Not in a bag' }).click();
    await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    await dialog.getByText('Say why').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Größe 100 %');
    await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    await thing(page, 'Shield, 2 × 2, not placed').click();
    assert.equal(await owned(), 2);

    const history = page.getByRole('region', { name: 'History of the item' });
    await history.getByText('Given', { exact: true }).waitFor();
    await history.getByText('to ann').waitFor();
    await history.getByText(', with the secret first').waitFor();
    await history.getByText('“Größe 100 %”').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('given by mistake');
    await dialog.getByRole('button', { name: 'Remove item' }).click();
    await thing(page, 'Shield, 2 × 2, not placed').waitFor({ state: 'detached' });
    assert.equal(await owned(), 1);
  });

  test('shows pity and spark of each template', async () => {
    const { page } = tab;
    await create('/templates', { id: 'banner', name: 'Banner', config: {} });
    await create('/templates/banner/roll', { userId: 'ann', count: 10 });
    await page.reload();
    await page.getByRole('tab', { name: 'Pity and spark' }).click();
    await page.getByRole('region', { name: 'Banner', exact: true }).getByText('10 rolls', { exact: true }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
  });

  test('is read-only with a read secret', async () => {
    const { secret } = await service.as('read');
    const { page, context } = await openTab(browser, service.address);
    await signIn(page, service.address, service.teamId, secret);
    await page.goto(`${service.address}/console/players/ann`);
    await drag(page, 'Shield, 2 × 2, column 1, row 1', 3, 2);
    await thing(page, 'Shield, 2 × 2, column 1, row 1').press('Enter');
    await page.getByRole('region', { name: 'History of the item' }).waitFor();
    for (const name of ['Give an item', 'Remove', 'Rotate', 'Sort Chest'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    assert.deepEqual(await positionOf('the-shield'), [0, 0, false]);
    await context.close();
  });

  test('caused only the expected errors', () => {
    assert.deepEqual(
      tab.complaints.filter((complaint) => !/status of 409/.test(complaint)),
      [],
    );
  });
});
