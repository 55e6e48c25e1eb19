import { joinKept, type Kept, readHeads, readKept } from '../../src/engine/fairness/kept.ts';
import { MAX_PROOF_LENGTH } from '../../src/engine/fairness/proof.ts';
import { verifyInSteps } from '../../src/engine/fairness/verify.ts';
import { find } from './dom.ts';
import { errorView, resultView } from './results.ts';
import { runInSlices } from './runner.ts';

const form = find<HTMLFormElement>('form');
const file = find<HTMLInputElement>('file');
const drop = find('drop');
const chosen = find('chosen');
const pasting = find<HTMLDetailsElement>('pasting');
const text = find<HTMLTextAreaElement>('text');
const kept = find<HTMLTextAreaElement>('kept');
const keptError = find('kept-error');
const commitment = find<HTMLInputElement>('commitment');
const commitmentError = find('commitment-error');
const clientSeed = find<HTMLInputElement>('client-seed');
const heads = find<HTMLTextAreaElement>('heads');
const headsError = find('heads-error');
const progress = find('progress');
const bar = find<HTMLProgressElement>('bar');
const status = find('status');
const result = find('result');

/** Longer texts are not put into the field, where they would slow down the page; they are checked all the same. */
const MOST_SHOWN = 200_000;

/** The proofs to check: files or a long text, unless there is a text in the field. */
let given: { read(): Promise<string[]> } | undefined;
let running = new AbortController();

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

const take = (name: string, read: () => Promise<string[]>): void => {
  given = { read };
  text.value = '';
  chosen.textContent = name;
  drop.classList.add('has-file');
};

const readFile = (one: File): Promise<string> => {
  if (one.size > MAX_PROOF_LENGTH) throw new Error(`${one.name} is longer than any proof.`);
  return one.text();
};

const takeFiles = (files: FileList | undefined | null): void => {
  const all = [...(files ?? [])];
  if (all.length === 0) return;
  const names = all.map(({ name, size }) => `${name} (${sizeOf(size)})`);
  take(names.join(', '), () => Promise.all(all.map(readFile)));
  void check();
};

const HASH = /^[0-9a-f]{64}$/;

/** Codes as people paste them: with spaces, commas or quotes around them. */
const readFields = (): Kept | undefined => {
  const codes = kept.value
    .split(/[\s,;"']+/)
    .filter((code) => code !== '')
    .map((code) => code.toLowerCase());
  const wrong = codes.find((code) => !HASH.test(code));
  keptError.hidden = wrong === undefined;
  keptError.textContent =
    wrong === undefined ? '' : `This is not a code of 64 digits and letters from a to f: ${wrong.slice(0, 80)}`;
  kept.setAttribute('aria-invalid', String(wrong !== undefined));
  const promise = commitment.value.trim().toLowerCase();
  const isPromise = promise === '' || HASH.test(promise);
  commitmentError.hidden = isPromise;
  commitmentError.textContent = isPromise ? '' : 'A commitment has 64 digits and letters from a to f.';
  commitment.setAttribute('aria-invalid', String(!isPromise));
  const keptHeads = readHeads(heads.value);
  headsError.hidden = keptHeads !== undefined;
  headsError.textContent =
    keptHeads === undefined ? 'A head is a number and a code of 64 digits and letters, or the JSON that has both.' : '';
  heads.setAttribute('aria-invalid', String(keptHeads === undefined));
  if (wrong !== undefined || !isPromise || keptHeads === undefined) return undefined;
  const seeds = { commitment: promise || undefined, clientSeed: clientSeed.value || undefined };
  return { receipts: codes, seeds: [seeds], heads: keptHeads };
};

const show = (parts: readonly HTMLElement[]): void => {
  progress.hidden = true;
  result.replaceChildren(...parts);
  result.hidden = false;
  status.textContent = result.querySelector('h2')?.textContent ?? '';
  result.focus({ preventScroll: true });
  result.scrollIntoView({ block: 'start' });
};

const check = async (): Promise<void> => {
  const fields = readFields();
  if (fields === undefined) {
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    return;
  }
  const pasted = text.value;
  const read = pasted.trim() === '' ? given?.read : async () => [pasted];
  if (read === undefined) {
    show(
      errorView('There is nothing to check yet: choose a file, drop one on this page, or paste the text of a proof.'),
    );
    return;
  }
  running.abort();
  running = new AbortController();
  const { signal } = running;
  result.hidden = true;
  progress.hidden = false;
  bar.value = 0;
  status.textContent = 'Checking';
  try {
    const sources = await read();
    const proofs: string[] = [];
    const kept: Kept[] = [fields];
    for (const source of sources) {
      const fromFile = readKept(source);
      if (fromFile === undefined) proofs.push(source);
      else if ('error' in fromFile) throw new Error(fromFile.error);
      else kept.push(fromFile);
    }
    if (proofs.length === 0) throw new Error('There is no proof among these files, only what you kept.');
    const found = await runInSlices(
      verifyInSteps(proofs, joinKept(kept)),
      (share) => {
        bar.value = share;
      },
      signal,
    );
    if (found !== undefined) show('error' in found ? errorView(found.error) : resultView(found));
  } catch (error) {
    // A file that was moved or may not be read, or that is none of these.
    if (!signal.aborted) show(errorView(error instanceof Error ? error.message : String(error)));
  }
};

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void check();
});

file.addEventListener('change', () => takeFiles(file.files));

// A file may be dropped anywhere: elsewhere the browser would leave the page to show it.
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('is-over');
});
document.addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) drop.classList.remove('is-over');
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('is-over');
  takeFiles(event.dataTransfer?.files);
});

text.addEventListener('paste', (event) => {
  const pasted = event.clipboardData?.getData('text') ?? '';
  if (pasted.length <= MOST_SHOWN) return;
  event.preventDefault();
  take(`Pasted text (${sizeOf(pasted.length)})`, async () => [pasted]);
  pasting.open = false;
  void check();
});
