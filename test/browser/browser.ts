import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const { TEST_BROWSER } = process.env;

/** Where to look for a browser: only where `TEST_BROWSER` says, or in the usual places. */
const BROWSERS = TEST_BROWSER
  ? [TEST_BROWSER]
  : [
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ];

const found = BROWSERS.find((path) => existsSync(path));

// Where a browser is expected, as in CI, tests must not be skipped silently.
if (found === undefined && process.env.TEST_BROWSER_REQUIRED === '1')
  throw new Error('no Chromium was found, and TEST_BROWSER_REQUIRED is set');

/** Why browser tests cannot run here; false if they can. */
export const noBrowser: string | false =
  found === undefined ? 'no Chromium was found; name one by TEST_BROWSER' : false;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the browser console and the network so far. */
  readonly complaints: string[];
}

interface TabOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly hasTouch?: boolean;
}

/** A tab in a new browser context, watched for errors and for requests to other hosts. */
export const openTab = async (browser: Browser, address: string, options: TabOptions = {}): Promise<Tab> => {
  const { scheme = 'light', width = 1280, hasTouch = false } = options;
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 860 },
    hasTouch,
    // No animations, so that nothing waits for them.
    reducedMotion: 'reduce',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address });
  const page = await context.newPage();
  // Nothing is measured by this: it only keeps a test that hangs from hanging for ever, on a machine as busy as may be.
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith('data:') && !url.startsWith('blob:'))
      complaints.push(`request to elsewhere: ${url}`);
  });
  return { page, context, complaints };
};

/** Signs in; edits go to the live catalog, or, as without a choice, to a draft. */
export const signIn = async (
  page: Page,
  address: string,
  teamId: string,
  secret: string,
  edits: 'live' | 'draft' = 'live',
): Promise<void> => {
  await page.goto(`${address}/console`);
  if (edits === 'live') await page.evaluate(`localStorage.setItem('itemwright.catalog.${teamId}', 'live')`);
  await page.getByLabel('Team id').fill(teamId);
  await page.getByLabel('Secret', { exact: true }).fill(secret);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
};

/** Uses the main navigation, as a person would. */
export const goTo = (page: Page, place: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click();

/** Answers the question that follows an edit of the live catalog which changes odds. */
export const applyNow = async (page: Page): Promise<void> => {
  const dialog = page.getByRole('dialog', { name: /^(?:Apply the change of|Delete) / });
  await dialog.getByRole('button', { name: /^(?:Apply|Delete) now$/ }).click();
  await dialog.waitFor({ state: 'detached' });
};

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string }[] }[];
}

/** Contrast depends on colours and is the most expensive check; nothing else depends on them. */
const CHECKS = {
  all: {},
  contrast: { runOnly: ['color-contrast'] },
  structure: { rules: { 'color-contrast': { enabled: false } } },
  // The rest of the structure is the same at any width.
  layout: { runOnly: ['scrollable-region-focusable'] },
};

/** What only a narrow screen shows; everything else has the same colours as on a wide one. */
const ONLY_NARROW = '[class*="mantine-hidden-from"]';
/** The header is the same on every page. */
const OVERVIEW_ON_NARROW = ['header', ONLY_NARROW];

/** What to check on a narrow screen beyond what a wide one shows; nothing on most pages. */
export const onlyOnNarrow = async (page: Page, isOverview: boolean): Promise<readonly string[]> => {
  if (isOverview) return OVERVIEW_ON_NARROW;
  return (await page.locator(`main ${ONLY_NARROW}`).count()) > 0 ? [`main ${ONLY_NARROW}`] : [];
};

/** Rows of a table are alike: checking the first ones is enough. */
const ALIKE = 'tbody tr:nth-child(n+7)';

/** Serious and critical accessibility violations that axe finds on the page. */
export const axeFaults = async (
  page: Page,
  check: keyof typeof CHECKS = 'all',
  include: readonly string[] = ['html'],
): Promise<string[]> => {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], preload: false, ...CHECKS[check] };
  const violations = await page.evaluate<AxeResult['violations']>(
    `axe.run(${JSON.stringify({ include, exclude: [ALIKE] })}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
};
