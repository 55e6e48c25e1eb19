import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { seed } from '../../tools/demo/seed.ts';
import { basic, createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { axeFaults, launchBrowser, noBrowser, openTab, signIn, type Tab } from './browser.ts';

/** Every page with its heading; those of single things with one that the demo has. */
const PAGES = {
  '/': 'Overview',
  '/items': 'Items',
  '/items/dawnbreaker': 'Dawnbreaker',
  '/new-item': 'New item',
  '/classifiers': 'Classifiers',
  '/attributes': 'Attributes',
  '/templates': 'Templates',
  '/templates/dawn-banner': 'Banner of Dawn',
  '/templates/adventurers-pack': "Adventurer's Pack",
  '/templates/emberfall-depths': 'Depths of Emberfall',
  '/templates/expedition': 'Expedition',
  '/new-template': 'New template',
  '/roll-lab': 'Roll lab',
  '/statistics': 'Statistics',
  '/players': 'Players',
  '/players/player-aderyn': 'player-aderyn',
  '/spaces': 'Spaces',
  '/settings': 'Settings',
};

describe('every page of the console', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  let tab: Tab;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
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

  const SCHEMES = ['light', 'dark'] as const;
  const WIDTHS = [1280, 380];

  for (const [path, heading] of Object.entries(PAGES)) {
    test(`is sound in light and dark, wide and narrow: ${path}`, async () => {
      const { page, complaints } = tab;
      complaints.length = 0;
      await page.goto(`${service.address}/console${path}`);
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
      for (const colorScheme of SCHEMES) {
        for (const width of WIDTHS) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await page.setViewportSize({ width, height: 860 });
          const what = `${path} in ${colorScheme}, ${width} pixels wide`;
          assert.deepEqual(await axeFaults(page), [], what);
          const beyond = await page.evaluate<number>(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          assert.equal(beyond, 0, `${what} is wider than the screen`);
        }
      }
      assert.deepEqual(complaints, [], path);
    });
  }
});
