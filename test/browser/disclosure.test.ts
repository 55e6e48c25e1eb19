/** The page with the odds of a template, as players see it: on its own, and in a frame of the site of a game. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { lookAtAll, recordAll } from '../chores.ts';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { assertDone } from '../rules.ts';
import { cheapDraws } from '../statistics.ts';
import { axeFaults, launchBrowser, noBrowser, openTab } from './browser.ts';

const { SCREENSHOTS } = process.env;

const TIERS = { five: ['★★★★★', 4], four: ['★★★★', 9], three: ['★★★', 12] } as const;
const NAMES = [
  'Aurora',
  'Bramble',
  'Cinder',
  'Dawnblade',
  'Ember',
  'Frostbite',
  'Gale',
  'Harbinger of the Last Winter',
];
const CONFIGS = {
  banner: {
    type: 'gacha',
    config: {
      ...{
        baseRates: { five: 0.006, four: 0.051, three: 0.943 },
        pityThreshold: 90,
        softPity: [{ from: 74, add: 0.06 }],
      },
      ...{ pities: [{ tier: 'four', threshold: 10 }], featuredItemIds: ['five-1'], featuredShare: 0.5 },
      ...{ guaranteeAfterLosses: 1, sparkCurrency: 300 },
      ...{ startsAt: '2026-11-01T10:00:00Z', endsAt: '2036-12-01T10:00:00Z' },
    },
  },
  pack: {
    type: 'card_pack',
    config: {
      ...{ baseRates: { five: 0.05, four: 0.15, three: 0.8 }, unique: true, pityThreshold: 10 },
      slots: [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }],
    },
  },
  offers: {
    type: 'roguelike',
    config: { baseRates: { five: 0.05, four: 0.25, three: 0.7 }, depthScaling: { five: 1.1 }, pityThreshold: 8 },
  },
  hours: { type: 'idle', config: { baseRates: { five: 1, three: 9 }, rollsPerHour: 60 } },
};
const TITLES = { banner: 'Winter Banner', pack: 'Starter Pack', offers: 'Boss Reward', hours: 'Expedition' };
type Id = keyof typeof CONFIGS;
const LANGUAGES = ['en', 'ja', 'ko', 'zh', 'de'] as const;

const DOCUMENT = {
  ...{ formatVersion: 1, spaces: [], baseVersion: 0 },
  attributes: [
    { id: 'attack', name: 'Attack', min: 0, max: 1000, step: 10 },
    { id: 'crit', name: 'Critical hit rate', min: 0, max: 1 },
  ],
  classifiers: [
    {
      ...{ id: 'rarity', name: 'Rarity' },
      classifierOptions: Object.entries(TIERS).map(([id, [name]]) => ({ id, name, dropRateMultiplier: null })),
    },
  ],
  items: Object.entries(TIERS).flatMap(([tier, [stars, count]]) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ id: `${tier}-${index + 1}`, classifierOptionIds: [tier], rollNumerator: 100 + 10 * index },
      name: `${NAMES[(index + stars.length) % NAMES.length]}${index < NAMES.length ? '' : ' II'}`,
      ...(tier === 'five' && {
        itemAttributes: [
          { id: `${index}a`, attributeId: 'attack', min: 500, max: 620 },
          { id: `${index}c`, attributeId: 'crit', min: 0.05, max: 0.125 },
        ],
      }),
    })),
  ),
  templates: Object.entries(CONFIGS).map(([id, template]) => ({
    ...{ id, name: TITLES[id as Id], disclosure: 'public' },
    ...template,
  })),
};

describe('the page with the odds of a template', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  const urlOf = (id: string): string => `${service.address}/public/${service.teamId}/templates/${id}`;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
    service.setClock(Date.parse('2026-11-14T09:30:00.000Z'));
    assertDone(await service.post('/catalog/publish', DOCUMENT));
    service.setClock(Date.parse('2026-11-16T17:05:00.000Z'));
    const config = { ...CONFIGS.banner.config, baseRates: { five: 0.008, four: 0.06, three: 0.932 } };
    assertDone(await service.put('/templates/banner', { config }));
    service.setClock(Date.parse('2026-11-20T08:00:00.000Z'));
    assertDone(await service.put('/templates/banner', { config: CONFIGS.banner.config }));
    await recordAll(service);
    service.setDraws(cheapDraws(3));
    for (const userId of ['ann', 'bob', 'cyd'])
      for (const id of ['banner', 'pack'])
        for (let call = 0; call < 8; call += 1)
          assertDone(await service.post(`/templates/${id}/roll`, { userId, count: 100 }));
    service.setDraws();
    await lookAtAll(service, { clock: () => Date.parse('2026-11-20T08:00:00.000Z') });
    const [template] = DOCUMENT.templates;
    const after = { ...template, config };
    assertDone(
      await service.post('/catalog/drafts', {
        ...{ id: 'soon', name: 'Soon', changes: [{ kind: 'template', id: 'banner', after }] },
      }),
    );
    const publication = { at: '2026-12-24T18:00:00.000Z', rebase: true, announce: true };
    assertDone(await service.post('/catalog/drafts/soon/publish', publication));
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await empty?.drop();
  });

  test('is complete without scripts, and its links lead to the data', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(urlOf('banner'));
    assert.equal(await page.title(), 'Odds of Winter Banner');
    const tiers = page.getByRole('region', { name: 'Odds by tier' });
    assert.deepEqual(await tiers.getByRole('row', { name: '★★★★★' }).getByRole('cell').allTextContents(), [
      ...['0.6 %', '1.605 %', '62.3', '76 rolls', '90'],
    ]);
    const details = page.getByText('Show the chance of each roll');
    const row = page.getByRole('row', { name: '89 96.6 %' });
    assert.equal(await row.isVisible(), false);
    await details.click();
    await row.waitFor();
    await page.getByText('No evidence against the published odds.', { exact: true }).waitFor();
    const [data] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'odds and results' }).click(),
    ]);
    assert.equal(data.url(), `${urlOf('banner')}/odds`);
    await context.close();
  });

  test('is shown in a frame of a site of another origin', async () => {
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<!doctype html><html lang="en"><title>Game</title><h1>A game</h1><iframe title="Odds" src="${urlOf('banner')}" width="400" height="500" sandbox="allow-popups"></iframe>`,
      );
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const address = `http://localhost:${(site.address() as AddressInfo).port}`;
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(address);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { level: 1, name: 'Winter Banner' }).waitFor();
    // The style is applied, which the policy must allow.
    const padding = await frame.locator('.verdict').evaluate((element) => getComputedStyle(element).paddingLeft);
    assert.equal(padding, '12px');
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/disclosure-frame.png` });
    assert.deepEqual(complaints, []);
    await context.close();
    await new Promise((resolve) => site.close(resolve));
  });

  for (const scheme of ['light', 'dark'] as const)
    for (const [size, width] of [
      ['wide', 1280],
      ['narrow', 360],
    ] as const)
      test(`is accessible in ${scheme}, ${size}, in every language`, async () => {
        const { page, context, complaints } = await openTab(browser, service.address, { scheme, width });
        for (const language of LANGUAGES)
          for (const id of Object.keys(CONFIGS)) {
            const name = `${id} in ${language}`;
            await page.goto(`${urlOf(id)}?lang=${language}`);
            // Colours are the same in every language.
            const check = language === 'en' ? 'all' : 'structure';
            if (language === 'en' || (scheme === 'light' && id === 'banner'))
              assert.deepEqual(await axeFaults(page, check), [], name);
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
            const tooWide = await page
              .locator('.scroll')
              .evaluateAll((tables) =>
                tables
                  .filter((table) => table.scrollWidth > table.clientWidth)
                  .map((table) => `${table.getAttribute('aria-label')}: ${table.scrollWidth - table.clientWidth}`),
              );
            if (SCREENSHOTS)
              await page.screenshot({
                path: `${SCREENSHOTS}/disclosure-${id}-${language}-${scheme}-${size}.png`,
                fullPage: true,
              });
            assert.deepEqual(tooWide, [], `tables of ${name} are too wide`);
          }
        assert.deepEqual(complaints, []);
        await context.close();
      });

  test('leads to the same page in another language', async () => {
    const { page, context } = await openTab(browser, service.address);
    await page.goto(urlOf('banner'));
    await page.getByRole('navigation', { name: 'Language' }).getByRole('link', { name: '日本語' }).click();
    await page.getByText('ガチャの提供割合・ルール・抽選結果').waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
    await page.getByRole('navigation', { name: '言語' }).getByRole('link', { name: 'Deutsch' }).click();
    await page.getByText('Banner: Wahrscheinlichkeiten, Regeln und Ergebnisse').waitFor();
    await context.close();
  });

  test('can be printed', async () => {
    const { page, context } = await openTab(browser, service.address, { scheme: 'dark' });
    await page.goto(urlOf('banner'));
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(0, 0, 0)');
    // What is folded on a screen is shown on paper.
    assert.ok((await page.getByRole('row', { name: '89 96.6 %' }).boundingBox())?.height);
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/disclosure-print.png`, fullPage: true });
    await context.close();
  });
});
