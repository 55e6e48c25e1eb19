import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type Client, onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

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

const { SCREENSHOTS } = process.env;

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

    /** What the draft of a team changes, by id. */
    const drafted = async (team: Client) => {
      const [{ id }] = assertDone(await team.get('/catalog/drafts')).body;
      const { changes } = assertDone(await team.get(`/catalog/drafts/${id}`)).body;
      return new Map<string, { name: string; rollNumerator: number; classifierOptionIds: string[] } | null>(
        changes.map((change: { id: string; after: never }) => [change.id, change.after]),
      );
    };

    const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`${name}\\b`) });

    testOnce('25 rows fit at a height of 900, and fewer if they should have more room', async () => {
      const { page, context, complaints } = await start();
      await page.setViewportSize({ width: 1440, height: 900 });
      await goTo(page, 'Items');
      await page.getByRole('table', { name: 'Items' }).waitFor();
      const whole = () =>
        page.getByRole('table', { name: 'Items' }).evaluate((table) => {
          const frame = (table.parentElement as HTMLElement).getBoundingClientRect();
          const bottom = Math.min(frame.bottom, 900);
          return [...table.querySelectorAll('tbody tr')].filter((row) => row.getBoundingClientRect().bottom <= bottom)
            .length;
        });
      assert.ok((await whole()) >= 25, `${await whole()} rows`);
      await page.getByRole('button', { name: 'Compact rows' }).click();
      assert.ok((await whole()) < 22, `${await whole()} rows`);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('search, options, order and the tab of a template are in the URL', async () => {
      const { page, context } = await start();
      await goTo(page, 'Items');
      await page.getByText('36 items', { exact: true }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('legendary 1');
      await page.getByRole('columnheader', { name: 'Item' }).getByRole('button').click();
      const names = () => page.getByRole('table', { name: 'Items' }).getByRole('link').allInnerTexts();
      const expected = ['Legendary 1', 'Legendary 10', 'Legendary 11', 'Legendary 12'];
      await page.getByText('4 of 36 items').waitFor();
      assert.deepEqual(await names(), expected);
      assert.match(page.url(), /\?q=legendary\+1&sort=Item$/);
      await page.reload();
      await page.getByText('4 of 36 items').waitFor();
      assert.deepEqual(await names(), expected);
      await page.getByRole('link', { name: 'Legendary 10' }).click();
      await page.getByRole('heading', { level: 1, name: 'Legendary 10' }).waitFor();
      await page.goBack();
      await page.getByText('4 of 36 items').waitFor();
      // The link of the navigation begins anew.
      await goTo(page, 'Items');
      await page.getByText('36 items', { exact: true }).waitFor();
      await page.evaluate("history.pushState(null, '', '/console/new-template?tab=ten')");
      await page.getByRole('tab', { name: 'Open ten', selected: true }).waitFor();
      await context.close();
    });

    test('items are edited in place and in bulk, duplicated and deleted', async () => {
      const { team, page, context, complaints } = await start({}, 'draft');
      await goTo(page, 'Items');
      await page.getByRole('button', { name: 'Edit Base weight of Common 1: 100', exact: true }).click();
      await page.getByLabel('Base weight of Common 1', { exact: true }).fill('1e3');
      await page.keyboard.press('Enter');
      await rowOf(page, 'Common 1').getByText('1,000').waitFor();
      await page.getByRole('button', { name: 'Edit name of Common 2', exact: true }).click();
      await page.getByLabel('name of Common 2', { exact: true }).fill('Stick');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Stick', exact: true }).waitFor();
      await page.getByLabel('Search items by name or id').fill('legendary 1');
      await page.getByText('4 of 36 items').waitFor();
      await page.getByLabel('Select all items that are shown').click();
      const bar = page.getByRole('group', { name: 'Selected items' });
      await bar.getByText('4 items selected').waitFor();
      await bar.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Number').fill('2.5');
      await page.keyboard.press('Enter');
      await page.getByText('4 items saved in the draft').waitFor();
      await bar.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('combobox', { name: 'Field' }).click();
      await page.getByRole('option', { name: 'Option', exact: true }).click();
      await page.getByRole('combobox', { name: 'Option', exact: true }).click();
      await page.getByRole('option', { name: 'Rare' }).click();
      await page.getByRole('button', { name: 'Apply' }).click();
      await rowOf(page, 'Legendary 1').getByText('Rare').waitFor();
      await bar.getByRole('button', { name: 'Duplicate' }).click();
      await page.getByText('8 of 40 items').waitFor();
      let changes = await drafted(team);
      assert.equal(changes.get('common-1')?.rollNumerator, 1000);
      assert.equal(changes.get('common-2')?.name, 'Stick');
      assert.equal(changes.get('legendary-1')?.rollNumerator, 250);
      assert.deepEqual(changes.get('legendary-10')?.classifierOptionIds, ['hand', 'rare']);
      assert.equal(changes.get('legendary-12-copy')?.name, 'Legendary 12 copy');
      assert.equal(changes.size, 10);
      await bar.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('menuitem', { name: 'Delete 4 items' }).click();
      await page.getByText('4 of 36 items').waitFor();
      changes = await drafted(team);
      assert.equal(changes.get('legendary-1'), null);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('a bulk edit of the live catalog shows its odds first', async () => {
      const { team, page, context } = await start();
      await goTo(page, 'Items');
      await page.getByLabel('Select Common 1', { exact: true }).click();
      await page.getByLabel('Select Common 2', { exact: true }).click();
      await page.getByRole('group', { name: 'Selected items' }).getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Number').fill('3');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Apply 2 changes?' });
      await dialog
        .getByRole('table', { name: /before and after/ })
        .first()
        .waitFor();
      await dialog.getByRole('button', { name: 'Apply now' }).click();
      await page.getByText('2 items saved').waitFor();
      assert.equal(assertDone(await team.get('/items/common-2')).body.rollNumerator, 300);
      await context.close();
    });

    testOnce('items go out as CSV and come back, or are pasted from a spreadsheet', async () => {
      const { team, page, context, complaints } = await start({}, 'draft');
      await goTo(page, 'Items');
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      const csv = readFileSync(await (await saved).path(), 'utf8');
      const [header, ...lines] = csv.trimEnd().split('\r\n');
      assert.equal(header, 'id,name,thumbnail,rollNumerator,width,height,description,data,currency,spend,Rarity,Slot');
      assert.equal(lines.length, 36);
      assert.ok(lines.includes('rare-3,Rare 3,,100,1,1,,,,,Rare,Head'));
      const dialog = page.getByRole('dialog', { name: 'Items from a spreadsheet' });
      const rows = dialog.getByLabel('Rows');
      await page.getByRole('button', { name: 'Import from a spreadsheet' }).click();
      await rows.fill(csv.replace('rare-3,Rare 3,,100', 'rare-3,"Rare, ""third""",,7'));
      await dialog.getByText('0 new items, 1 item changed, 35 items as they are').waitFor();
      await rows.fill('name\tweight\tRarity\nBlade\tmuch\tGolden');
      await dialog.getByRole('alert').getByText('there is no option “Golden”').waitFor();
      await dialog.getByRole('alert').getByText('“much” is not a number').waitFor();
      assert.ok(await dialog.getByRole('button', { name: 'Import' }).isDisabled());
      await rows.fill('name\tweight\tRarity\nBlade\t7\tlegendary\nCommon 1\t1,200\tCommon');
      await dialog.getByText('1 new item, 1 item changed').waitFor();
      if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/import.png` });
      assert.deepEqual(await axeFaults(page), []);
      await dialog.getByRole('button', { name: 'Import' }).click();
      await page.getByText('2 items saved in the draft').waitFor();
      const changes = await drafted(team);
      assert.deepEqual(changes.get('blade')?.classifierOptionIds, ['legendary']);
      assert.equal(changes.get('blade')?.rollNumerator, 7);
      assert.equal(changes.get('common-1')?.rollNumerator, 1200);
      assert.deepEqual(changes.get('common-1')?.classifierOptionIds, ['common', 'head']);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce(
      'ids follow from names, one item after the other is created, and keys do what they do elsewhere',
      async () => {
        const { team, page, context, complaints } = await start({}, 'draft');
        await page.keyboard.press('Control+k');
        const palette = page.getByRole('combobox', { name: /Go to/ });
        await palette.fill('new it');
        await page.getByRole('option', { name: 'New item' }).waitFor();
        assert.deepEqual(await axeFaults(page), []);
        await page.keyboard.press('Enter');
        const name = page.getByRole('textbox', { name: 'Name', exact: true });
        await name.fill('Éclair of Dawn');
        await page.getByText('Its id will be eclair-of-dawn.').waitFor();
        await page.getByText('Head', { exact: true }).click();
        await page.getByRole('button', { name: 'Create and go on with another' }).click();
        await page.getByText('Éclair of Dawn saved in the draft').waitFor();
        assert.equal(await name.inputValue(), '');
        await name.fill('Eclair of dawn');
        await page.getByText('Its id will be eclair-of-dawn-2.').waitFor();
        await page.keyboard.press('Control+s');
        await page.getByText('Eclair of dawn saved in the draft').waitFor();
        await page.getByRole('heading', { level: 1, name: 'Items' }).waitFor();
        const changes = await drafted(team);
        assert.deepEqual([...changes.keys()], ['eclair-of-dawn', 'eclair-of-dawn-2']);
        assert.deepEqual(changes.get('eclair-of-dawn-2')?.classifierOptionIds, ['head']);
        assert.deepEqual(complaints, []);
        await context.close();
      },
    );

    testOnce('a calendar says when templates open and close, in a time zone', async () => {
      const { team, page, context, complaints } = await start();
      await page.evaluate("localStorage.setItem('itemwright.time-zone', JSON.stringify('UTC'))");
      const config = { startsAt: '2199-12-31T20:00:00Z', endsAt: '2200-01-14T20:00:00Z' };
      assertDone(await team.post('/templates', { id: 'dawn', name: 'Dawn', config }));
      await page.reload();
      await goTo(page, 'Templates');
      const calendar = page.getByRole('region', { name: 'Calendar' });
      await calendar.getByText(/opens Dec 31, 2199, 8:00\sPM, closes Jan 14, 2200, 8:00\sPM/).waitFor();
      await calendar.getByRole('combobox', { name: 'Time zone' }).click();
      await calendar.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
      await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
      await calendar.getByText(/opens Jan 1, 2200, 5:00\sAM/).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('the table is accessible in dark and on a narrow screen, with rows selected', async () => {
      for (const options of [{ scheme: 'dark' }, { width: 390 }] as const) {
        const { page, context } = await start(options);
        await page.evaluate("history.pushState(null, '', '/console/items')");
        await page.getByLabel('Select all items that are shown').click();
        await page.getByRole('group', { name: 'Selected items' }).getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('Number').waitFor();
        assert.deepEqual(await axeFaults(page), []);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= (('width' in options && options.width) || 1280), `${width}`);
        await context.close();
      }
    });
  });
});
