import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { seed } from '../../tools/demo/seed.ts';
import { basic, createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { axeFaults, launchBrowser, noBrowser, openTab, signIn } from './browser.ts';

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
  '/spaces': 'Spaces',
  '/settings': 'Settings',
};

describe('every page of the console', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
    const { app, setClock, teamId, secret } = service;
    await seed({ app, setClock, authorization: basic(teamId, secret) });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await empty?.drop();
  });

  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1280, 380]) {
      test(`is sound in ${scheme}, ${width} pixels wide`, async () => {
        const { page, context, complaints } = await openTab(browser, service.address, { scheme, width });
        await signIn(page, service.address, service.teamId, service.secret);
        for (const [path, heading] of Object.entries(PAGES)) {
          await page.goto(`${service.address}/console${path}`);
          await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
          await page.waitForLoadState('networkidle');
          await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
          assert.deepEqual(complaints, [], path);
          assert.deepEqual(await axeFaults(page), [], path);
          const beyond = await page.evaluate<number>(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          assert.equal(beyond, 0, `${path} is wider than the screen`);
        }
        await context.close();
      });
    }
  }
});
