/** The page with which players verify their rolls, as the service serves it and as a file without a network. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fastify from 'fastify';
import type { Browser, Locator, Page } from 'playwright-core';
import type { SignedHead } from '../../src/engine/fairness/log.ts';
import { EDITION, type RotateReceipt } from '../../src/engine/fairness/receipts.ts';
import { hashOfText } from '../../src/engine/fairness/sha256.ts';
import type { App } from '../../src/http/server.ts';
import { createStaticFiles } from '../../src/http/static-files.ts';
import { verifierRoutes } from '../../src/http/verifier.ts';
import { item, option } from '../catalogs.ts';
import { callOf, fairnessVectors, playHistory, type TestProof } from '../fairness.ts';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { createTestLog, leavesOf, otherLeaf } from '../public-log.ts';
import { assertDone } from '../rules.ts';
import { verified } from '../verified.ts';
import { axeFaults, launchBrowser, noBrowser, openTab } from './browser.ts';

const { SCREENSHOTS } = process.env;
const BUILT = fileURLToPath(new URL('../../console/dist/verify.html', import.meta.url));
const { held } = fairnessVectors();

const sound = (): TestProof => fairnessVectors().proof;
const tampered = (): TestProof => {
  const { proof } = fairnessVectors();
  (callOf(proof, 1, 3).results[4] as unknown[])[0] = 'dawnblade';
  return proof;
};

/** Each epoch of a proof in a file of its own, from one rotation to the next. */
const inFiles = ({ receipts, snapshots }: TestProof): TestProof[] =>
  receipts
    .filter(({ kind }) => kind === 'rotate')
    .map(({ epoch: last }) => ({
      ...{ v: EDITION, epoch: last, from: 0, snapshots },
      receipts: receipts.filter(({ kind, epoch }) => epoch === last || (kind === 'rotate' && epoch === last + 1)),
    }));

/** A public log of all players, in which the rotations of a proof are, and another one that it was forked from. */
const LEAVES = [otherLeaf('ann'), otherLeaf('bob'), ...leavesOf(sound()), otherLeaf('eve')];
const logged = (from?: number, log = createTestLog(LEAVES)) => ({
  ...sound(),
  log: log.of(sound(), LEAVES.length, from),
});
const FORK = createTestLog([otherLeaf('zoe'), ...LEAVES.slice(1)]);
const lineOf = ({ head }: SignedHead): string => `${head.size} ${head.root}`;

/** A proof that lacks rolls, and was made longer so that it seems to be full. */
const padded = (): TestProof => {
  const proof = sound();
  proof.receipts = proof.receipts.filter(({ kind, epoch }) => kind === 'rotate' || epoch !== 1);
  proof.epoch = 'all';
  for (let number = 0; number < 20; number += 1)
    proof.snapshots[hashOfText(`padding ${number}`)] = ' '.repeat(1024 * 1024);
  return proof;
};

/** A story of six epochs, each of which ended before a roll that would have been of the best tier. */
const steered = (): TestProof => {
  const parts = {
    options: ['five', 'three'].map((id) => option(id)),
    items: ['dawnblade', 'cap'].map((id, index) => item(id, [index === 0 ? 'five' : 'three'])),
    templates: [{ id: 'banner', type: 'gacha', config: { baseRates: { five: 0.1, three: 0.9 } } }] as const,
  };
  const play = (seeds: readonly string[]): TestProof => {
    const history = playHistory({ ...parts, seedOf: (epoch) => seeds[epoch] ?? hashOfText(`later ${epoch}`) });
    for (const seed of seeds) {
      history.rotate(`chosen with ${seed.slice(0, 6)}`);
      history.roll('banner', { count: 1 });
    }
    history.rotate('last');
    return history.proof();
  };
  const wouldHit = (seed: string): boolean => verified(play([seed])).notMade[0]?.results[0]?.[1] === 'five';
  const seeds: string[] = [];
  for (let tried = 0; seeds.length < 6; tried += 1) {
    const seed = hashOfText(`seed ${tried}`);
    if (wouldHit(seed)) seeds.push(seed);
  }
  return play(seeds);
};

const fileOf = (proof: unknown) => ({
  name: 'proof.json',
  mimeType: 'application/json',
  buffer: Buffer.from(typeof proof === 'string' ? proof : JSON.stringify(proof)),
});

const choose = (page: Page, ...proofs: unknown[]): Promise<void> =>
  page.getByLabel('Choose proofs').setInputFiles(proofs.map(fileOf));
const verdict = (page: Page, text: string): Promise<void> =>
  page.getByRole('heading', { level: 2, name: text }).waitFor();
const receipt = (page: Page, name: RegExp): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name }) });

/** The sound and the false proof, whatever address the page has. */
const checkProofs = async (page: Page): Promise<void> => {
  await choose(page, sound());
  await verdict(page, 'Nothing is wrong so far');
  await page.getByText('32 receipts verified. One is still sealed').waitFor();
  const exchange = page.getByRole('button', { name: /^Verified Exchange #20 Pity group "g" dawnblade/ });
  await exchange.click();
  await page.getByText('featured · power 49').waitFor();
  await page.getByText('it gives the same item, with 1 random number.').waitFor();
  await page.getByRole('radio', { name: 'Sealed (1)' }).check();
  assert.equal(await page.locator('.receipt').count(), 1);

  await choose(page, tampered());
  await verdict(page, 'Something is wrong');
  await page.getByText('2 of 33 receipts failed.').waitFor();
  assert.equal(await page.locator('.receipt').count(), 2, 'failed ones are shown first');
  await receipt(page, /^Failed Roll #3/)
    .getByText('Item 5 should be "cap", but the receipt says "dawnblade".')
    .waitFor();
  await receipt(page, /^Failed Roll #4/)
    .getByText('It names another receipt as #3: one of the two was changed.')
    .waitFor();
};

describe('the page that verifies rolls', () => {
  let empty: EmptyDatabase;
  let service: Service;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
  });
  after(async () => {
    await service?.stop();
    await empty?.drop();
  });

  test('is one file that loads nothing, and runs only its own script and style', async () => {
    const { status, headers, body } = await service.anyone().get('/verify');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(headers.get('cache-control'), 'no-cache');
    const html = body as string;
    const inline = (tag: string): string => {
      const found = [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(
        ([, text]) => text as string,
      );
      assert.equal(found.length, 1, tag);
      return `'sha256-${createHash('sha256')
        .update(found[0] as string)
        .digest('base64')}'`;
    };
    const policy = `default-src 'none'; script-src ${inline('script')}; style-src ${inline('style')}; base-uri 'none'; form-action 'none'`;
    assert.ok(html.includes(`<meta http-equiv="Content-Security-Policy" content="${policy}"`));
    assert.equal(headers.get('content-security-policy'), `${policy}; frame-ancestors 'none'`);
    const markup = html.replace(/<(script|style)>[\s\S]*?<\/\1>/g, '');
    assert.doesNotMatch(markup, /\ssrc=|\son\w+=|\sstyle=|<link|<iframe|<a\b/);
    assert.deepEqual(
      [...markup.matchAll(/href="([^"]*)"/g)].filter(([, href]) => !href?.startsWith('#icon-')),
      [],
    );
    assert.doesNotMatch(
      html,
      /innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\bfetch\(|XMLHttpRequest/,
    );
    assert.ok(html.length < 250_000);
  });

  test('is explained if it was not built', async () => {
    const app = fastify();
    verifierRoutes(app as unknown as App, createStaticFiles(join(tmpdir(), 'not', 'built'), ''));
    const { statusCode, body } = await app.inject('/verify');
    assert.equal(statusCode, 503);
    assert.match(body, /^The page that verifies rolls has not been built\. Run `npm ci`, without --omit=dev,/);
    await app.close();
  });

  describe('in a browser', { skip: noBrowser }, () => {
    let browser: Browser;
    let folder: string;
    before(async () => {
      browser = await launchBrowser();
      folder = await mkdtemp(join(tmpdir(), 'itemwright-verify-'));
    });
    after(async () => {
      await browser?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const opened = async (options: Parameters<typeof openTab>[2] = {}) => {
      const tab = await openTab(browser, service.address, options);
      await tab.page.goto(`${service.address}/verify`);
      return tab;
    };

    /** The page from a disk, in a browser without a network. */
    const openedOffline = async () => {
      const saved = join(folder, 'saved page.html');
      await copyFile(BUILT, saved);
      const context = await browser.newContext({ offline: true, reducedMotion: 'reduce' });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => complaints.push(request.url()));
      await page.goto(pathToFileURL(saved).href);
      // The page itself is the only request.
      assert.deepEqual(complaints.splice(0), [pathToFileURL(saved).href]);
      return { page, context, complaints };
    };

    test('tells a sound proof from a false one, as served', async () => {
      const { page, context, complaints } = await opened();
      await checkProofs(page);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('tells a sound proof from a false one, from a disk without a network', async () => {
      const { page, context, complaints } = await openedOffline();
      await checkProofs(page);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('takes a proof that is dropped anywhere on it, or pasted', async () => {
      const { page, context, complaints } = await openedOffline();
      const transfer = await page.evaluateHandle(
        ([text]) => {
          const data = new DataTransfer();
          data.items.add(new File([text as string], 'dropped.json'));
          return data;
        },
        [JSON.stringify(sound())],
      );
      await page.dispatchEvent('h1', 'dragover', { dataTransfer: transfer });
      await page.dispatchEvent('h1', 'drop', { dataTransfer: transfer });
      await verdict(page, 'Nothing is wrong so far');
      await page.getByText('dropped.json (40 KB)').waitFor();

      await page.getByText('Or paste the text of the proof').click();
      await page.getByLabel('Text of the proof').fill(JSON.stringify(tampered()));
      await page.getByRole('button', { name: 'Check the proof' }).click();
      await verdict(page, 'Something is wrong');

      // A long text would make the field slow.
      await page.getByLabel('Text of the proof').fill('');
      const long = JSON.stringify(sound(), null, 40);
      assert.ok(long.length > 200_000);
      await page.getByLabel('Text of the proof').evaluate((field, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text', text);
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true, bubbles: true }));
      }, long);
      await verdict(page, 'Nothing is wrong so far');
      await page.getByText(/^Pasted text \(\d/).waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('looks for the receipts that the player kept', async () => {
      const { page, context, complaints } = await opened();
      const kept = page.getByLabel('Receipts that you kept');
      await kept.fill(`"${held[0]}",\n ${(held[20] as string).toUpperCase()}\n`);
      await choose(page, sound());
      await verdict(page, 'Nothing is wrong so far');
      assert.equal(await page.getByText('You kept it').count(), 2);

      const shortened = sound();
      shortened.receipts.pop();
      await kept.fill(held.at(-1) as string);
      await choose(page, shortened);
      await verdict(page, 'Something that you kept is missing');
      await page
        .getByRole('listitem')
        .filter({ hasText: held.at(-1) as string })
        .waitFor();

      await kept.fill('lucky');
      await page.getByRole('button', { name: 'Check the proof' }).click();
      await page.getByText('This is not a code of 64 digits and letters from a to f: lucky').waitFor();
      assert.equal(await kept.getAttribute('aria-invalid'), 'true');
      assert.equal(await kept.evaluate((field) => field === document.activeElement), true);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('takes several files as one story, in any order', async () => {
      const { page, context, complaints } = await opened();
      const [first, second, third] = inFiles(sound());
      await choose(page, second, third, first);
      await verdict(page, 'Nothing is wrong so far');
      await page.getByText('32 receipts verified. One is still sealed').waitFor();
      assert.deepEqual(await page.locator('h4').allTextContents(), ['Epoch 0', 'Epoch 1', 'Epoch 2']);
      assert.equal(await page.getByText('What this proof does not show').count(), 0);

      await choose(page, second);
      await page.getByText('What this proof does not show').waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('asks for the commitment and the client seed that the player kept', async () => {
      const { page, context, complaints } = await opened();
      const [{ commitment, clientSeed }] = sound().receipts as [RotateReceipt];
      await page.getByLabel('Commitment that you were shown').fill(commitment);
      await page.getByLabel('Client seed that you chose then').fill(clientSeed);
      await choose(page, sound());
      await verdict(page, 'Nothing is wrong so far');
      await page.getByLabel('Client seed that you chose then').fill('another one');
      await page.getByRole('button', { name: 'Check the proof' }).click();
      await verdict(page, 'Something that you kept is missing');
      await page.getByLabel('Commitment that you were shown').fill('lucky');
      await page.getByRole('button', { name: 'Check the proof' }).click();
      await page.getByText('A commitment has 64 digits and letters from a to f.').waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('shows the rolls that were not made, and whether they look like chance', async () => {
      const { page, context, complaints } = await opened();
      await choose(page, sound());
      await page.getByText('Rolls that were not made, because').click();
      await page.getByText('End of epoch 0, the template "pack": cap, dawnblade, duskblade').waitFor();
      assert.equal(await page.getByText('That hardly looks like chance').count(), 0);
      await choose(page, steered());
      await verdict(page, 'Every roll is right, but look at those that were not made');
      await page.getByText('The chance of so many or more is 0.00010 %. That hardly looks like chance').waitFor();
      assert.equal(await page.getByText('End of epoch 5, the template "banner": dawnblade').isVisible(), true);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('compares the public log with heads that the player kept, and names a fork', async () => {
      const { page, context, complaints } = await opened();
      const heads = page.getByLabel('Heads of the public log that you kept');
      const log = createTestLog(LEAVES);
      await heads.fill(`${lineOf(log.signed(2))}\n`);
      await choose(page, logged(2));
      await verdict(page, 'Nothing is wrong so far');
      await page.getByText('changes of seeds or odds in this proof are in the log that everybody sees.').waitFor();
      await page.getByText(lineOf(log.signed(LEAVES.length))).waitFor();

      await heads.fill(JSON.stringify(FORK.signed(2)));
      await page.getByRole('button', { name: 'Check the proof' }).click();
      await verdict(page, 'Something is wrong with the public log');
      await page.getByText('The log forks: the head of 2 leaves that you kept').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Save what to keep' }).count(), 0);

      await heads.fill('');
      const unsigned = logged();
      await choose(page, { ...unsigned, log: { ...unsigned.log, signature: '0'.repeat(128) } });
      await verdict(page, 'Something is wrong with the public log');
      await page.getByText(/^The signature of the head of \d+ leaves in this proof is wrong\.$/).waitFor();

      await heads.fill('lucky');
      await page.getByRole('button', { name: 'Check the proof' }).click();
      await page.getByText('A head is a number and a code of 64 digits and letters').waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('saves all that is to be kept in one file, which it reads with the next proof', async () => {
      const { page, context, complaints } = await openedOffline();
      await page.getByLabel('Receipts that you kept').fill(held[1] as string);
      await choose(page, logged());
      await verdict(page, 'Nothing is wrong so far');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save what to keep' }).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'kept.json');
      const kept = await readFile(await download.path(), 'utf8');
      const { receipts, heads } = JSON.parse(kept);
      assert.deepEqual([receipts[0], receipts.length, heads[0].head.size], [held[1], 3, LEAVES.length]);

      await page.getByLabel('Receipts that you kept').fill('');
      await choose(page, kept, logged());
      await verdict(page, 'Nothing is wrong so far');
      assert.equal(await page.getByText('You kept it').count(), 3);
      const shortened = logged();
      shortened.receipts.pop();
      await choose(page, shortened, kept);
      await verdict(page, 'Something that you kept is missing');

      for (const [text, message] of [
        ['{"kept":1}', 'There is no proof among these files, only what you kept.'],
        ['{"kept":2}', 'The file of what you kept cannot be read: kept is not 1.'],
      ] as const) {
        await choose(page, text);
        await page.getByText(message).waitFor();
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('is not misled by a proof that was made longer', async () => {
      const { page, context } = await opened();
      await choose(page, padded());
      await verdict(page, 'Something is wrong');
      await page
        .getByText(/of the epoch before it is missing|are missing|is missing/)
        .first()
        .waitFor();
      await context.close();
    });

    test('says what is wrong with something else than a proof', async () => {
      const { page, context, complaints } = await opened();
      await page.getByRole('button', { name: 'Check the proof' }).click();
      await page.getByText('There is nothing to check yet').waitFor();
      for (const [text, error] of [
        ['hello', 'it is not JSON'],
        ['{"code":"NOT_FOUND","message":"Not found"}', 'v is missing'],
        ['{"v":1}', 'it is of the first edition, whose results could be chosen by whoever ran the service'],
        ['{"v":3}', 'it is of a version that this verifier does not know'],
      ] as const) {
        await choose(page, text);
        await verdict(page, 'This cannot be checked');
        await page.getByText(`This is not a proof that can be read: ${error}`).waitFor();
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('shows what is in a proof as text, whatever it is', async () => {
      const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
      const history = playHistory({
        options: [option(markup)],
        items: [{ ...item(`id ${markup}`, [markup]), name: markup }],
        templates: [{ id: markup, type: 'gacha', config: { baseRates: { [markup]: 1 }, pityGroup: markup } }],
      });
      history.rotate(markup);
      history.roll(markup, { count: 1 });
      history.rotate(`${markup} again`);
      const { page, context, complaints } = await opened();
      const proof = history.proof();
      await choose(page, proof);
      await verdict(page, 'Everything is right');
      await page.getByRole('button', { name: /^Verified Roll #0/ }).click();
      await page.locator('.item-name', { hasText: markup }).waitFor();
      (callOf(proof, 0, 0).results[0] as unknown[])[0] = `${markup} other`;
      await choose(page, proof);
      await verdict(page, 'Something is wrong');
      assert.equal(await page.title(), 'Check your rolls');
      assert.equal(await page.locator('img').count(), 0);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('stays responsive with a long proof, of which it shows a part', async () => {
      const history = playHistory({
        options: ['five', 'three'].map((id) => option(id)),
        items: ['axe', 'bow', 'cap'].map((id, index) => item(id, [index === 0 ? 'five' : 'three'])),
        templates: [{ id: 'banner', type: 'gacha', config: { baseRates: { five: 1, three: 9 }, pityThreshold: 90 } }],
      });
      history.rotate('seed');
      for (let call = 0; call < 1200; call += 1) history.roll('banner', { count: 60 });
      history.rotate('last');
      const { page, context, complaints } = await opened();
      await page.evaluate(() => {
        const measured = { longest: 0, started: performance.now() };
        Object.assign(globalThis, { measured });
        let last = performance.now();
        setInterval(() => {
          measured.longest = Math.max(measured.longest, performance.now() - last);
          last = performance.now();
        }, 5);
      });
      await choose(page, history.proof());
      await verdict(page, 'Everything is right');
      const { longest, total } = await page.evaluate(() => {
        const { measured } = globalThis as unknown as { measured: { longest: number; started: number } };
        return { longest: measured.longest, total: performance.now() - measured.started };
      });
      assert.ok(longest < total / 2, `stood still for ${longest} of ${total} ms`);
      assert.equal(await page.locator('.receipt').count(), 100);
      await page.getByRole('button', { name: 'Show 100 more of 1,102' }).click();
      assert.equal(await page.locator('.receipt').count(), 200);
      assert.match((await page.locator(':focus').textContent()) ?? '', /Roll #99/);
      assert.deepEqual(complaints, []);
      await context.close();
    });

    test('can be used with the keyboard alone', async () => {
      const { page, context } = await opened();
      const focused = () => page.locator(':focus');
      await page.keyboard.press('Tab');
      assert.equal(await focused().getAttribute('id'), 'file');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      assert.equal(await focused().getAttribute('id'), 'text');
      await focused().fill(JSON.stringify(sound()));
      await page.keyboard.press('Tab');
      for (const id of ['kept', 'commitment', 'client-seed', 'heads']) {
        assert.equal(await focused().getAttribute('id'), id);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await verdict(page, 'Nothing is wrong so far');
      assert.equal(await focused().getAttribute('id'), 'result', 'the result is read out next');
      assert.equal(await page.getByRole('status').textContent(), 'Nothing is wrong so far');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('End of epoch 0, the template "pack"').waitFor();
      await page.keyboard.press('Tab');
      assert.equal(await focused().textContent(), 'Save what to keep');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.getByRole('radio', { name: 'Sealed (1)' }).isChecked(), true);
      await page.keyboard.press('Tab');
      assert.equal(await focused().getAttribute('aria-expanded'), 'false');
      await page.keyboard.press('Enter');
      assert.equal(await focused().getAttribute('aria-expanded'), 'true');
      await page.getByText('Not the result yet: the server seed is still secret.').waitFor();
      await context.close();
    });

    for (const scheme of ['light', 'dark'] as const) {
      for (const [size, width] of [
        ['wide', 1280],
        ['narrow', 360],
      ] as const) {
        test(`is accessible in ${scheme}, ${size}`, async () => {
          const { page, context, complaints } = await opened({ scheme, width });
          const look = async (name: string): Promise<void> => {
            assert.deepEqual(await axeFaults(page), [], name);
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
            if (SCREENSHOTS)
              await page.screenshot({ path: `${SCREENSHOTS}/verify-${name}-${scheme}-${size}.png`, fullPage: true });
          };
          await look('empty');
          await page.getByLabel('Receipts that you kept').fill(held[1] as string);
          await choose(page, sound());
          await verdict(page, 'Nothing is wrong so far');
          for (const name of [/New seeds Beginning of epoch 1/, /^Verified Roll #16/, /^Sealed Roll #0/])
            await page.getByRole('button', { name }).click();
          await look('sound');
          const part = tampered();
          part.receipts = part.receipts.filter(({ kind, epoch }) => epoch === 1 || (kind === 'rotate' && epoch === 2));
          await choose(page, part);
          await verdict(page, 'Something is wrong');
          await page.getByRole('button', { name: /^Failed Roll #3/ }).click();
          await look('failed');
          await page.getByLabel('Receipts that you kept').fill('');
          await choose(page, steered());
          await page.getByText('That hardly looks like chance').waitFor();
          await look('steered');
          await choose(page, padded());
          await verdict(page, 'Something is wrong');
          await look('padded');
          await page.getByLabel('Heads of the public log that you kept').fill(lineOf(FORK.signed(2)));
          await choose(page, logged(2));
          await verdict(page, 'Something is wrong with the public log');
          await look('forked');
          await page.getByLabel('Heads of the public log that you kept').fill('');
          await choose(page, logged());
          await verdict(page, 'Nothing is wrong so far');
          await look('logged');
          await choose(page, 'hello');
          await verdict(page, 'This cannot be checked');
          await look('error');
          assert.deepEqual(complaints, []);
          await context.close();
        });
      }
    }

    test('verifies what the service itself gives', async () => {
      const team = await service.anotherTeam();
      assertDone(await team.post('/items', { id: 'cap', name: 'Cap' }));
      assertDone(await team.post('/items', { id: 'sword', name: 'Sword' }));
      assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config: {}, verifiable: true }));
      const rotate = async (clientSeed: string): Promise<void> => {
        const { nextCommitment: commitment, nextManifest: manifest } = assertDone(
          await team.post('/users/p/fairness'),
        ).body;
        assertDone(await team.post('/users/p/fairness/rotate', { clientSeed, commitment, manifest }));
      };
      await rotate('mine');
      const { fairness } = assertDone(await team.post('/templates/banner/roll', { userId: 'p', count: 20 })).body;
      await rotate('yours');
      const proof = assertDone(await team.get('/users/p/proof?epoch=0')).body;
      const path = join(folder, 'given.json');
      await writeFile(path, JSON.stringify(proof));
      const { page, context, complaints } = await opened();
      await page.getByLabel('Receipts that you kept').fill(fairness.receipt);
      await page.getByLabel('Choose proofs').setInputFiles(path);
      await verdict(page, 'Everything is right');
      await page.getByRole('button', { name: /^Verified Roll #0 Template "banner" .*(?:Cap|Sword)/ }).waitFor();
      await page.getByText('You kept it').waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    });
  });
});
