import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { LIMITS } from '../../src/shared/limits.ts';
import { basic, type Client, onEveryDatabase } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { axeFaults, goTo, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

const RARITY = {
  id: 'rarity',
  name: 'Rarity',
  classifierOptions: [
    { id: 'common', name: 'Common', dropRateMultiplier: 1 },
    { id: 'epic', name: 'Epic', dropRateMultiplier: 1 },
  ],
};

const BANNER = {
  baseRates: { common: 0.96, epic: 0.04 },
  pityThreshold: 30,
  softPity: [{ from: 25, add: 0.1 }],
  featuredItemIds: ['sword'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};
const SHRINE = { baseRates: { common: 0.9, epic: 0.1 }, choices: 2, depthScaling: { common: 0.5 } };

const CATALOG = {
  formatVersion: 1,
  merge: true,
  baseVersion: 0,
  classifiers: [RARITY],
  items: [
    ...['stick', 'twig', 'stone'].map((id) => ({ id, name: `The ${id}`, classifierOptionIds: ['common'] })),
    { id: 'sword', name: 'Sword', classifierOptionIds: ['epic'] },
    { id: 'lance', name: 'Lance', classifierOptionIds: ['epic'] },
    { id: 'relic', name: 'Relic' },
  ],
  templates: [
    { id: 'banner', name: 'Banner', type: 'gacha', config: BANNER },
    { id: 'shrine', name: 'Shrine', type: 'roguelike', config: SHRINE },
  ],
};

const { SCREENSHOTS } = process.env;
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [1280, 380];

const asText = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const runButton = (page: Page): Locator => page.getByRole('button', { name: 'Run the simulation' });
const result = (page: Page): Locator => page.getByRole('region', { name: 'Result', exact: true });

/** The cells of a row of a table of results. */
const cellsOf = async (page: Page, table: string, name: string): Promise<string[]> => {
  const row = page.getByRole('table', { name: table }).getByRole('row', { name: new RegExp(`^${name}\\b`) });
  return (await row.getByRole('cell').allInnerTexts()).map(asText).slice(1);
};

/** Runs a simulation and waits for its result. */
const run = async (page: Page, facts: string): Promise<void> => {
  await runButton(page).click();
  await result(page).getByText(facts).waitFor();
  await runButton(page).waitFor();
};

/** As the pages show it. */
const share = (value: number): string => (value === 0 ? '0 %' : `${Number((value * 100).toPrecision(3))} %`);
const mean = (value: number): string => String(Number(value.toFixed(value < 10 ? 2 : 1)));

onEveryDatabase('the simulator in the console', (service, engine) => {
  describe('in a browser', { skip: noBrowser }, () => {
    /** What does not depend on the database is tested on one of them. */
    const testOnce = engine === 'sqlite' ? test : () => undefined;
    let browser: Browser;
    before(async () => {
      browser = await launchBrowser();
      assertDone(await service().post('/catalog/publish', CATALOG));
    });
    after(() => browser?.close());

    const start = async (path: string, { team, edits }: { team?: Client; edits?: 'live' | 'draft' } = {}) => {
      const used = team ?? (await service().anotherTeam());
      if (team === undefined) assertDone(await used.post('/catalog/publish', CATALOG));
      const { page, context, complaints } = await openTab(browser, service().address);
      await signIn(page, service().address, used.teamId, used.secret, edits);
      await page.evaluate(`history.pushState(null, '', '/console${path}')`);
      return { team: used, page, context, complaints };
    };
    const simulate = async (team: Client, body: object) =>
      assertDone(await team.post('/templates/simulate', body)).body;

    test('shows what became of the players of a template, in the numbers of the API', async () => {
      const { team, page, context, complaints } = await start('/');
      await goTo(page, 'Simulator');
      await page.getByText('No simulation yet').waitFor();
      await page.getByRole('combobox', { name: 'Template' }).click();
      await page.getByRole('option', { name: 'Shrine' }).click();
      await field(page, 'Depth').waitFor();
      await page.getByRole('combobox', { name: 'Template' }).click();
      await page.getByRole('option', { name: 'Banner' }).click();
      assert.equal(await field(page, 'Rolls each').inputValue(), '60');
      await field(page, 'Players').fill('2000');
      await field(page, 'Price of a roll').fill('1.5');
      await field(page, 'Currency').fill('gems');
      await page.getByRole('combobox', { name: 'Also report these items' }).fill('lan');
      await page.getByRole('option', { name: 'Lance' }).click();
      await page.keyboard.press('Escape');
      await run(page, 'Banner · 2,000 players · 60 rolls each · 1.5 gems for a roll · seed seed-1');

      const body = { templateId: 'banner', players: 2000, rolls: 60, seed: 'seed-1', pricePerRoll: 1.5 };
      const { targets, pity } = await simulate(team, { ...body, itemIds: ['lance'] });
      const { tiers, items } = assertDone(await team.get('/templates/banner/odds')).body;
      const exact = [
        ...tiers,
        ...['sword', 'lance'].map((id) => items.find(({ itemId }: { itemId: string }) => itemId === id)),
      ];
      for (const [place, name] of ['Epic', 'Common', 'Sword', 'Lance'].entries()) {
        const { first, never, cost, perPlayer } = targets[place];
        assert.deepEqual(await cellsOf(page, 'Until the first one', name), [
          `${mean(first.mean)} exact ${mean(exact[place].expectedRolls)}`,
          ...[first.p50, first.p95, first.max].map(String),
          share(never),
        ]);
        assert.deepEqual(
          await cellsOf(page, 'Cost of the first one', name),
          [cost.mean, cost.p50, cost.p95, cost.max].map((amount) => String(Number(amount.toFixed(2)))),
        );
        assert.deepEqual(await cellsOf(page, 'How many a player gets', name), [
          mean(perPlayer.mean),
          ...[perPlayer.p5, perPlayer.p50, perPlayer.p95, perPlayer.max].map(String),
        ]);
      }
      const [epic] = targets;
      const words = asText(await result(page).innerText());
      assert.ok(
        words.includes(
          `Half of the players had their first Epic by roll ${epic.first.p50}, 95 % by roll ${epic.first.p95}, the unluckiest by roll ${epic.first.max}. On average it cost ${Number(epic.cost.mean.toFixed(2))} gems.`,
        ),
        words,
      );
      const origins = page.getByRole('region', { name: 'How they came about' });
      const told = asText(await origins.innerText());
      for (const part of [
        `All players together got ${pity.top.toLocaleString('en')}.`,
        `during soft pity ${share(pity.soft / pity.top)} ${pity.soft.toLocaleString('en')}`,
        `at hard pity ${share(pity.hard / pity.top)} ${pity.hard.toLocaleString('en')}`,
        `${share(pity.guarantee / pity.top)} were featured by the guarantee, because the player had lost the 50/50 before.`,
      ])
        assert.ok(told.includes(part), `${part} is not in ${told}`);
      // The top tier and the featured item, each with its exact curve behind it.
      const lines = page.locator('.recharts-line');
      await lines.nth(3).waitFor({ state: 'attached' });
      assert.equal(await lines.count(), 4);
      await page.getByRole('checkbox', { name: 'Common' }).press('Space');
      await lines.nth(5).waitFor({ state: 'attached' });

      // Nothing was written.
      assert.equal(assertDone(await team.get('/roll-events/stats')).body.totalRolls, 0);
      assert.deepEqual(assertDone(await team.get('/users')).body, []);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('simulates a configuration as it is being edited, without saving it', async () => {
      const { team, page, context, complaints } = await start('/templates/banner');
      await page.getByLabel('Hard pity', { exact: true }).fill('10');
      await page.getByRole('button', { name: 'Remove soft pity part 1 of the top tier' }).click();
      await page.getByRole('tab', { name: 'Simulator' }).click();
      await field(page, 'Players').fill('500');
      // Enter runs it, and does not save the template around it.
      await field(page, 'Rolls each').fill('40');
      await page.keyboard.press('Enter');
      await result(page).getByText('Banner · 500 players · 40 rolls each').waitFor();
      const { softPity: _, ...rest } = BANNER;
      const config = { ...rest, pityThreshold: 10 };
      const { targets } = await simulate(team, { type: 'gacha', config, players: 500, rolls: 40, seed: 'seed-1' });
      const [first] = targets.map((target: { first: { p50: number; max: number } }) => target.first);
      assert.equal(first.max, 10);
      const shown = await cellsOf(page, 'Until the first one', 'Epic');
      assert.deepEqual(shown.slice(1, 4), [first.p50, first.p95, first.max].map(String));
      assert.deepEqual(assertDone(await team.get('/templates/banner')).body.config, BANNER);

      // A look at the odds loses nothing, and an edit only marks the result.
      await page.getByRole('tab', { name: 'Odds' }).click();
      await page.getByLabel('Hard pity', { exact: true }).fill('12');
      await page.getByRole('tab', { name: 'Simulator' }).click();
      await result(page).getByText('the inputs have changed since').waitFor();
      assert.deepEqual(await cellsOf(page, 'Until the first one', 'Epic'), shown);
      await page.getByLabel('Hard pity', { exact: true }).fill('10');
      await result(page).getByText('the inputs have changed since').waitFor({ state: 'detached' });
      await run(page, 'seed seed-1');
      assert.deepEqual(await cellsOf(page, 'Until the first one', 'Epic'), shown);
      await page.getByRole('button', { name: 'Choose another seed' }).click();
      await run(page, `seed ${await field(page, 'Seed').inputValue()}`);
      assert.notDeepEqual(await cellsOf(page, 'Until the first one', 'Common'), shown);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    testOnce('shows its progress, and ends a simulation that is canceled', async () => {
      const { team, page, context } = await start('/simulator?template=banner');
      await field(page, 'Players').fill('100');
      await run(page, '100 players');
      await field(page, 'Players').fill('160000');
      await runButton(page).click();
      const progress = page.getByRole('progressbar', { name: 'Progress of the simulation' });
      await page.getByText(/^[1-9]\d? % done$/).waitFor();
      assert.ok(Number(await progress.getAttribute('aria-valuenow')) > 0);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Canceled.').waitFor();
      await progress.waitFor({ state: 'detached' });
      await result(page).getByText('100 players').waitFor();
      // The next one does not wait for the one that was canceled.
      const began = performance.now();
      await simulate(team, { templateId: 'banner', players: 10, rolls: 10, seed: 's' });
      assert.ok(performance.now() - began < 4_000);
      await context.close();
    });

    testOnce('puts errors next to the inputs, and says why a configuration cannot be simulated', async () => {
      const { page, context } = await start('/simulator?template=banner');
      await field(page, 'Seed').fill('');
      await page.getByText('Enter any text').waitFor();
      assert.ok(await runButton(page).isDisabled());
      await field(page, 'Seed').fill('s');
      await field(page, 'Players').fill('1000000');
      await runButton(page).click();
      await page.getByRole('alert').getByText('The players get 60,000,000 items in total').waitFor();
      await field(page, 'Players').fill('10');
      await page.getByRole('combobox', { name: 'Also report these items' }).fill('rel');
      await page.getByRole('option', { name: 'Relic' }).click();
      await page.keyboard.press('Escape');
      await runButton(page).click();
      await page.getByText('Is not an item of the pool').waitFor();
      await page.getByText('No simulation yet').waitFor();

      await page.evaluate("history.pushState(null, '', '/console/templates/banner')");
      await page.getByRole('tab', { name: 'Simulator' }).click();
      for (const tier of ['Common', 'Epic']) await page.getByLabel(`Rate of ${tier}`).fill('0');
      await page.getByText('The configuration has errors, which are shown next to its fields.').waitFor();
      assert.ok(await runButton(page).isDisabled());
      await page.getByRole('button', { name: 'Add a tier' }).click();
      await page.getByText('A row of the configuration has no tier yet.').waitFor();
      await context.close();
    });

    testOnce('says that others are simulating, and can be tried again', async () => {
      const { team, page, context } = await start('/simulator?template=banner');
      const crowd = new AbortController();
      const body = JSON.stringify({ type: 'gacha', config: {}, players: 1000, rolls: 10_000, seed: 's' });
      const headers = { authorization: basic(team.teamId, team.secret), 'content-type': 'application/json' };
      // A response begins when its simulation has been accepted. No team gets all places.
      const simulate = () =>
        fetch(`${service().address}/templates/simulate`, {
          method: 'POST',
          headers: { ...headers, accept: 'application/x-ndjson' },
          body,
          signal: crowd.signal,
        });
      const statuses = await Promise.all(
        Array.from({ length: LIMITS.simulationPlaces }, async () => (await simulate()).status),
      );
      assert.deepEqual(new Set(statuses), new Set([200, 503]));
      await runButton(page).click();
      const alert = page.getByRole('alert').filter({ hasText: 'The service is busy' });
      await alert.waitFor();
      assert.deepEqual(await axeFaults(page), []);
      crowd.abort();
      await alert.getByRole('button', { name: 'Try again' }).click();
      await result(page).waitFor();
      await alert.waitFor({ state: 'detached' });
      await context.close();
    });

    testOnce('simulates what the draft makes of a template', async () => {
      const { team, page, context } = await start('/');
      const config = { ...BANNER, pityThreshold: 7, softPity: [] };
      const after = { id: 'banner', name: 'Banner', type: 'gacha', config };
      const draft = { name: 'Winter', changes: [{ kind: 'template', id: 'banner', after }] };
      const { id } = assertDone(await team.post('/catalog/drafts', draft)).body;
      await page.evaluate(`localStorage.setItem('itemwright.catalog.${team.teamId}', 'draft:${id}')`);
      await page.reload();
      await goTo(page, 'Simulator');
      await page.getByRole('combobox', { name: 'Template' }).click();
      await page.getByRole('option', { name: 'Banner' }).click();
      await field(page, 'Players').fill('300');
      await run(page, 'Banner · 300 players');
      assert.equal((await cellsOf(page, 'Until the first one', 'Epic'))[3], '7');
      await context.close();
    });

    testOnce('offers the request of the simulation as a curl command', async () => {
      const { team, page, context } = await start('/simulator?template=shrine');
      await field(page, 'Depth').fill('2');
      await field(page, 'Players').fill('50');
      await page.getByRole('button', { name: "Show this page's request as a curl command" }).click();
      const popover = page.getByRole('dialog');
      await popover.getByRole('button', { name: 'Copy', exact: true }).click();
      await popover.getByRole('button', { name: 'Copied' }).waitFor();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      const { stdout } = await promisify(execFile)('sh', ['-c', command], {
        env: { ...process.env, ITEMWRIGHT_CREDENTIALS: `${team.teamId}:${team.secret}` },
      });
      const body = { templateId: 'shrine', players: 50, rolls: 50, seed: 'seed-1', depth: 2, exact: true };
      assert.deepEqual(JSON.parse(stdout), await simulate(team, body));
      await context.close();
    });

    testOnce('lets nobody run it who may not', async () => {
      const { page, context } = await start('/simulator', { team: await service().as('support') });
      await page.getByText('Simulating requires a secret with the role design or write.').waitFor();
      assert.ok(await runButton(page).isDisabled());
      await context.close();
    });

    testOnce('is accessible in light and dark, wide and narrow, with a result', async () => {
      const { page, context, complaints } = await start('/simulator?template=banner');
      await field(page, 'Players').fill('1000');
      await field(page, 'Price of a roll').fill('160');
      await run(page, '1,000 players');
      await page.locator('.recharts-line').first().waitFor({ state: 'attached' });
      for (const width of WIDTHS)
        for (const colorScheme of SCHEMES) {
          await page.setViewportSize({ width, height: 860 });
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await axeFaults(page), [], `${width} pixels wide, in ${colorScheme}`);
          if (SCREENSHOTS)
            await page.screenshot({ path: `${SCREENSHOTS}/simulator-${width}-${colorScheme}.png`, fullPage: true });
          const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          assert.equal(await page.evaluate<number>(beyond), 0, `${width} pixels wide, in ${colorScheme}`);
        }
      assert.deepEqual(complaints, []);
      await context.close();
    });

    describe('odds by depth', () => {
      const epicAt = async (team: Client, depth: number) => {
        const { tiers } = assertDone(await team.get(`/templates/shrine/odds?depth=${depth}`)).body;
        const { effective } = tiers.find(({ tier }: { tier: string }) => tier === 'epic');
        return `${Number((effective * 100).toPrecision(4))} %`;
      };
      const shownEpic = async (page: Page): Promise<string> =>
        asText(await page.getByRole('region', { name: 'Odds of the tiers' }).innerText());

      test('follow a slider, by keyboard too, and are asked for when it rests', async () => {
        const { team, page, context, complaints } = await start('/templates/shrine');
        await page.getByText('at depth 0.').waitFor();
        const asked: (number | undefined)[] = [];
        page.on('request', (request) => {
          if (request.url().endsWith('/templates/odds')) asked.push(request.postDataJSON().depth);
        });
        const slider = page.getByRole('slider', { name: 'Depth' });
        await slider.focus();
        // However long the keys take, for the page there is a tenth of a second between them.
        await page.clock.install();
        await page.clock.pauseAt(Date.now() + 1000);
        for (let depth = 1; depth <= 8; depth += 1) {
          await page.keyboard.press('ArrowRight');
          await page.clock.runFor(100);
        }
        await page.clock.resume();
        await page.getByText('without pity and guarantee, at depth 8.').waitFor();
        assert.equal(await slider.getAttribute('aria-valuenow'), '8');
        assert.ok((await shownEpic(page)).includes(await epicAt(team, 8)));
        assert.deepEqual(asked, [8]);
        await page.getByLabel('Depth, as a number').fill('3');
        await page.getByText('at depth 3.').waitFor();
        assert.ok((await shownEpic(page)).includes(await epicAt(team, 3)));
        assert.deepEqual(await axeFaults(page), []);
        await page.reload();
        await page.getByText('at depth 0.').waitFor();
        assert.deepEqual(complaints, []);
        await context.close();
      });

      testOnce('say so where there is nothing left to choose, which can still be saved', async () => {
        const { team, page, context } = await start('/templates/shrine');
        const config = { ...SHRINE, choices: 3, depthScaling: { epic: 0 } };
        assertDone(
          await team.put('/templates/shrine', {
            config: { ...config, pool: { itemIds: ['stick', 'sword', 'lance'] } },
          }),
        );
        await page.reload();
        await page.getByLabel('Depth, as a number').fill('1');
        await page.getByText('Leaves 1 items that can be rolled, fewer than the 3 choices').waitFor();
        assert.equal(await page.getByText('This cannot be saved yet').count(), 0);
        await page.getByLabel('Depth, as a number').fill('0');
        await page.getByText('Leaves 1 items').waitFor({ state: 'detached' });
        await context.close();
      });

      testOnce('are shown to those who cannot edit', async () => {
        const reader = await service().as('read');
        const { page, context, complaints } = await start('/templates/shrine', { team: reader });
        await page.getByRole('slider', { name: 'Depth' }).focus();
        await page.keyboard.press('ArrowRight');
        await page.getByText('at depth 1.').waitFor();
        assert.ok((await shownEpic(page)).includes(await epicAt(reader, 1)));
        assert.deepEqual(complaints, []);
        await context.close();
      });
    });
  });
});
