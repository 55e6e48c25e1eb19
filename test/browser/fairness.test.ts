import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Download, Page } from 'playwright-core';
import { recordAll } from '../chores.ts';
import { type Client, onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { applyNow, axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const BANNER = { baseRates: { common: 0.9, epic: 0.1 }, pityThreshold: 10 };
const CATALOG = {
  ...{ formatVersion: 1, merge: true, baseVersion: 0 },
  classifiers: [
    {
      ...{ id: 'rarity', name: 'Rarity' },
      classifierOptions: ['common', 'epic'].map((id) => ({ id, name: id, dropRateMultiplier: null })),
    },
  ],
  items: [
    { id: 'stick', name: 'Stick', classifierOptionIds: ['common'] },
    { id: 'sword', name: 'Sword', classifierOptionIds: ['epic'] },
  ],
  templates: [{ id: 'banner', name: 'Banner', type: 'gacha', config: BANNER }],
};

const { SCREENSHOTS } = process.env;
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [1280, 380];

onEveryDatabase('fairness in the console', (service, engine) => {
  describe('in a browser', { skip: noBrowser }, () => {
    /** What does not depend on the database is tested on one of them. */
    const testOnce = engine === 'sqlite' ? test : () => undefined;
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
      assertDone(await service().post('/catalog/publish', CATALOG));
      await recordAll(service());
    });
    after(() => browser?.close());

    const newTeam = async (): Promise<Client> => {
      const team = await service().anotherTeam();
      assertDone(await team.post('/catalog/publish', CATALOG));
      await recordAll(service());
      return team;
    };
    const open = async (team: Client, path: string, edits?: 'live' | 'draft') => {
      const { page, context, complaints } = await openTab(browser, service().address);
      await signIn(page, service().address, team.teamId, team.secret, edits);
      await page.evaluate(`history.pushState(null, '', '/console${path}')`);
      return { page, context, complaints };
    };
    const rotate = async (team: Client, userId: string, clientSeed: string) => {
      const { nextCommitment: commitment, nextManifest: manifest } = assertDone(
        await team.post(`/users/${userId}/fairness`),
      ).body;
      const rotation = { clientSeed, commitment, manifest };
      return assertDone(await team.post(`/users/${userId}/fairness/rotate`, rotation)).body;
    };
    const looksGood = async (page: Page, name: string): Promise<void> => {
      if (engine !== 'sqlite') return;
      for (const width of WIDTHS)
        for (const colorScheme of SCHEMES) {
          await page.setViewportSize({ width, height: 860 });
          await page.emulateMedia({ colorScheme });
          if (SCREENSHOTS)
            await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
          assert.deepEqual(await axeFaults(page), [], `${width} pixels wide, in ${colorScheme}`);
          const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          assert.equal(await page.evaluate<number>(beyond), 0, `${width} pixels wide, in ${colorScheme}`);
        }
      await page.setViewportSize({ width: 1280, height: 860 });
    };
    const trustOf = async (team: Client) => {
      const { verifiable, disclosure } = assertDone(await team.get('/templates/banner')).body;
      return { verifiable, disclosure };
    };
    /** The text of what a link opens, in another tab. */
    const opened = async (page: Page, name: string): Promise<Page> => {
      const [other] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', { name }).click(),
      ]);
      await other.waitForLoadState();
      return other;
    };

    test('makes a template verifiable and its odds public, with links to what players see', async () => {
      const team = await newTeam();
      const { page, context, complaints } = await open(team, '/templates/banner');
      const [verifiable, isPublic] = [
        page.getByRole('switch', { name: 'Verifiable rolls' }),
        page.getByRole('switch', { name: 'Public odds' }),
      ];
      await verifiable.check();
      await isPublic.check();
      await page.getByText('It gets a public page as soon as this is live.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Apply the change of Banner' });
      await dialog.getByRole('row', { name: /Verifiable rolls no → yes/ }).waitFor();
      await dialog.getByRole('row', { name: /Public odds no → yes/ }).waitFor();
      await looksGood(page, 'trust-dialog');
      await applyNow(page);
      assert.deepEqual(await trustOf(team), { verifiable: true, disclosure: 'public' });
      await page.getByRole('link', { name: 'Open the public page' }).waitFor();
      await looksGood(page, 'trust-template');
      const page2 = await opened(page, 'Open the public page');
      assert.match(await page2.content(), /Banner/);
      const verify = await opened(page, 'Where players check their rolls');
      assert.equal(new URL(verify.url()).pathname, '/verify');

      // What was entered in the configuration is saved with it, and the other way round.
      await page.getByLabel('Hard pity', { exact: true }).fill('12');
      await verifiable.uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await applyNow(page);
      assert.deepEqual(await trustOf(team), { verifiable: false, disclosure: 'public' });
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('keeps both in a draft until it is published, and shows them in its history', async () => {
      const team = await newTeam();
      const { page, context } = await open(team, '/templates/banner', 'draft');
      await page.getByRole('switch', { name: 'Verifiable rolls' }).check();
      await page.getByRole('switch', { name: 'Public odds' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Banner saved in the draft').waitFor();
      assert.deepEqual(await trustOf(team), { verifiable: false, disclosure: 'private' });
      await page.reload();
      assert.ok(await page.getByRole('switch', { name: 'Verifiable rolls' }).isChecked());
      await page.getByText('as soon as this is live').waitFor();

      await page.getByRole('region', { name: 'Catalog' }).getByRole('link').first().click();
      const row = (name: RegExp) => page.getByRole('row', { name });
      await row(/Verifiable rolls no → yes/).waitFor();
      await row(/Public odds no → yes/).waitFor();
      await page.getByRole('button', { name: 'Publish now' }).click();
      await page.getByText('Published').first().waitFor();
      assert.deepEqual(await trustOf(team), { verifiable: true, disclosure: 'public' });
      await page.evaluate("history.pushState(null, '', '/console/history/2')");
      await row(/Verifiable rolls no → yes/).waitFor();
      await row(/Public odds no → yes/).waitFor();
      await context.close();
    });

    test('lets admins make plain rolls verifiable, after a question', async () => {
      const team = await newTeam();
      const { page, context, complaints } = await open(team, '/');
      await goTo(page, 'Settings');
      const toggle = page.getByRole('switch', { name: 'Verifiable plain rolls' });
      const saved = async () => assertDone(await team.get('/team')).body.verifiableRolls;
      await toggle.click();
      await page.getByRole('button', { name: 'Leave it' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.deepEqual([await saved(), await toggle.isChecked()], [false, false]);
      await toggle.click();
      await page.getByRole('button', { name: 'Make them verifiable' }).click();
      await page.getByText('Plain rolls are verifiable from now on').waitFor();
      await page.getByRole('switch', { name: 'Verifiable plain rolls', checked: true }).waitFor();
      assert.equal(await saved(), true);
      await looksGood(page, 'settings');
      await toggle.click();
      await page.getByText('Plain rolls are no longer verifiable').waitFor();
      assert.equal(await saved(), false);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('lets nobody else change that', async () => {
      const { page, context } = await open(await service().as('write'), '/settings');
      await page.getByText('Only an admin secret can change this.').waitFor();
      assert.ok(await page.getByRole('switch', { name: 'Verifiable plain rolls' }).isDisabled());
      await context.close();
    });

    test('shows the seeds of a player, and downloads proofs', async () => {
      const team = await newTeam();
      assertDone(await team.put('/templates/banner', { verifiable: true }));
      await recordAll(service());
      assertDone(await team.post('/users', { id: 'ann' }));
      const { page, context, complaints } = await open(team, '/players/ann');
      await page.getByRole('tab', { name: 'Fairness' }).click();
      await page.getByText('No seeds yet').waitFor();
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText('Verifiable rolls are rejected until the player chooses a client seed.').waitFor();
      // The browser reports the seeds that were not there.
      assert.deepEqual(
        complaints.filter((complaint) => !/status of 404/.test(complaint)),
        [],
      );
      complaints.length = 0;

      await rotate(team, 'ann', 'first seed');
      for (let call = 0; call < 3; call += 1)
        assertDone(await team.post('/templates/banner/roll', { userId: 'ann', count: 2 }));
      const state = await rotate(team, 'ann', 'lucky ☘');
      assertDone(await team.post('/templates/banner/roll', { userId: 'ann' }));
      await page.reload();
      await page.getByRole('tab', { name: 'Fairness' }).click();
      const seeds = page.getByRole('region', { name: 'Seeds' });
      await seeds.getByText('lucky ☘').waitFor();
      await seeds.getByText('ready to roll').waitFor();
      await seeds.getByRole('button', { name: /^Copy\sthe last receipt$/ }).waitFor();
      await seeds.getByRole('button', { name: /^Copy\sthe commitment$/ }).click();
      assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), state.commitment);
      assert.equal(await page.getByRole('button', { name: /rotate/i }).count(), 0);
      await looksGood(page, 'player-fairness');

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Download proof\sof epoch 0$/ }).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'proof-ann-epoch-0.json');
      const verify = await opened(page, '/verify');
      await verify.locator('input[type=file]').setInputFiles(await download.path());
      await verify.getByText(/^All 5 receipts are verified/).waitFor();

      // A change of the pool asks for another client seed.
      assertDone(await team.put('/items/sword', { rollNumerator: 7 }));
      await recordAll(service());
      await page.reload();
      await page.getByRole('tab', { name: 'Fairness' }).click();
      await seeds.getByText('must choose a client seed').waitFor();
      await seeds.getByText('A configuration has changed since then.').waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('downloads a long proof in parts, one file for each', async () => {
      const team = await newTeam();
      assertDone(await team.put('/templates/banner', { verifiable: true }));
      assertDone(await team.put('/team', { verifiableRolls: true }));
      await recordAll(service());
      await rotate(team, 'bob', 'seed');
      for (let calls = 0; calls < 1010; calls += 101)
        await Promise.all(
          Array.from({ length: 101 }, () => team.post('/templates/banner/roll', { userId: 'bob' }).then(assertDone)),
        );
      assertDone(await team.post('/items/roll', { userId: 'bob' }));
      const save = async (page: Page, parts: number): Promise<Download[]> => {
        const files: Download[] = [];
        page.on('download', (download) => files.push(download));
        await page.getByRole('button', { name: /^Download proof\sof epoch 0$/ }).click();
        while (files.length < parts) await page.waitForEvent('download');
        return files;
      };
      const names = ['part-1', 'part-2'];
      const { page, context } = await open(team, '/players/bob');
      for (const seed of [undefined, 'another seed']) {
        if (seed !== undefined) await rotate(team, 'bob', seed);
        await page.reload();
        await page.getByRole('tab', { name: 'Fairness' }).click();
        const files = await save(page, 2);
        assert.deepEqual(
          files.map((file) => file.suggestedFilename()),
          names.map((name) => `proof-bob-epoch-0-${name}.json`),
        );
        const kinds = await Promise.all(
          files.map(async (file) => JSON.parse(await readFile(await file.path(), 'utf8')).receipts),
        );
        const rolls = kinds.flat().filter(({ kind }: { kind: string }) => kind === 'roll');
        assert.equal(new Set(rolls.map(({ nonce }: { nonce: number }) => nonce)).size, 1011);
        page.removeAllListeners('download');
      }
      await context.close();
    });

    testOnce('lets nobody start seeds who may not', async () => {
      assertDone(await service().post('/users', { id: 'carl' }));
      const { page, context } = await open(await service().as('read'), '/players/carl');
      await page.getByRole('tab', { name: 'Fairness' }).click();
      await page.getByText('This needs a secret with the role support or write.').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Start' }).isDisabled());
      await context.close();
    });
  });
});
