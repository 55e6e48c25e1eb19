/** The guides in a browser, on a running service. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { axeFaults, launchBrowser, noBrowser, openTab } from './browser.ts';

const { SCREENSHOTS } = process.env;

describe('the guides in a browser', { skip: noBrowser }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let browser: Browser;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url, { PATH_PREFIX: '/api' });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await empty?.drop();
  });

  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      test(`can be searched and followed to the API, ${scheme}, ${width} pixels wide`, async () => {
        const { page, context, complaints } = await openTab(browser, service.address, { scheme, width });
        const shoot = async (name: string): Promise<void> => {
          if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `guides-${name}-${scheme}-${width}.png`) });
        };
        const checkPage = async (name: string): Promise<void> => {
          await shoot(name);
          assert.deepEqual(await axeFaults(page), [], name);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          assert.ok((overflow as number) <= 0, `${name} is wider than the window`);
        };
        await page.goto(`${service.address}/api/guides`);
        assert.equal(await page.evaluate('document.documentElement.dataset.theme'), scheme);
        await checkPage('home');

        await page.keyboard.press('/');
        await page.keyboard.type('restore drill');
        const first = page.getByRole('option').first();
        await first.getByText('Restore drill').waitFor();
        await checkPage('search');
        await page.getByRole('combobox').fill('xyzzyplugh');
        await page.getByText('Nothing about “xyzzyplugh”.').waitFor();
        await page.getByRole('combobox').fill('idempotency');
        await first.waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/api\/guides\/\w+/);
        await page
          .getByRole('dialog')
          .waitFor({ state: 'detached' })
          .catch(() => undefined);
        assert.equal(await page.getByRole('dialog').count(), 0);

        if (width === 390) await page.getByRole('button', { name: 'Pages' }).click();
        await shoot('navigation');
        await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Rolls' }).click();
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.match(page.url(), /\/api\/guides\/rolls$/);
        await checkPage('page');

        await page.getByRole('button', { name: 'Switch between light and dark' }).click();
        await page.reload();
        const other = scheme === 'light' ? 'dark' : 'light';
        assert.equal(await page.evaluate('document.documentElement.dataset.theme'), other, 'a choice is kept');

        assert.deepEqual(complaints, []);
        await page.getByRole('link', { name: 'POST /templates/{id}/roll' }).first().click();
        await page.getByRole('heading', { name: 'Roll on a template' }).first().waitFor();
        await shoot('reference');
        await context.close();
      });
});
