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
const progress = find('progress');
const bar = find<HTMLProgressElement>('bar');
const status = find('status');
const result = find('result');

/** Longer texts are not put into the field, where they would slow down the page; they are checked all the same. */
const MOST_SHOWN = 200_000;

/** The proof to check: a file or a long text, unless there is a text in the field. */
let given: { readonly name: string; read(): Promise<string> } | undefined;
let running = new AbortController();

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

const take = (name: string, read: () => Promise<string>): void => {
  given = { name, read };
  text.value = '';
  chosen.textContent = name;
  drop.classList.add('has-file');
};

const takeFile = (one: File): void =>
  take(`${one.name} (${sizeOf(one.size)})`, async () => {
    if (one.size > MAX_PROOF_LENGTH) throw new Error('The file is longer than any proof.');
    return one.text();
  });

/** Codes as people paste them: with spaces, commas or quotes around them. */
const readKept = (): string[] | undefined => {
  const codes = kept.value
    .split(/[\s,;"']+/)
    .filter((code) => code !== '')
    .map((code) => code.toLowerCase());
  const wrong = codes.find((code) => !/^[0-9a-f]{64}$/.test(code));
  keptError.hidden = wrong === undefined;
  keptError.textContent =
    wrong === undefined ? '' : `This is not a code of 64 digits and letters from a to f: ${wrong.slice(0, 80)}`;
  kept.setAttribute('aria-invalid', String(wrong !== undefined));
  return wrong === undefined ? codes : undefined;
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
  const codes = readKept();
  if (codes === undefined) {
    kept.focus();
    return;
  }
  const pasted = text.value;
  const read = pasted.trim() === '' ? given?.read : async () => pasted;
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
    const source = await read();
    const found = await runInSlices(
      verifyInSteps(source, codes),
      (share) => {
        bar.value = share;
      },
      signal,
    );
    if (found !== undefined) show('error' in found ? errorView(found.error) : resultView(found));
  } catch (error) {
    // A file that was moved or may not be read.
    if (!signal.aborted) show(errorView(error instanceof Error ? error.message : String(error)));
  }
};

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void check();
});

file.addEventListener('change', () => {
  const [one] = file.files ?? [];
  if (one === undefined) return;
  takeFile(one);
  void check();
});

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
  const [one] = event.dataTransfer?.files ?? [];
  if (one === undefined) return;
  takeFile(one);
  void check();
});

text.addEventListener('paste', (event) => {
  const pasted = event.clipboardData?.getData('text') ?? '';
  if (pasted.length <= MOST_SHOWN) return;
  event.preventDefault();
  take(`Pasted text (${sizeOf(pasted.length)})`, async () => pasted);
  pasting.open = false;
  void check();
});
