import { keptText } from '../../src/engine/fairness/kept.ts';
import { looksChosen, nameOfNotMade, textOfPassedOver } from '../../src/engine/fairness/not-made.ts';
import type { RotateReceipt } from '../../src/engine/fairness/receipts.ts';
import type { CheckedReceipt, Status, Verification } from '../../src/engine/fairness/verify.ts';
import { element, icon } from './dom.ts';
import { type Around, badge, receiptView } from './receipt-view.ts';
import { counted, itemsText, sentence, upper } from './words.ts';

/** Receipts that are shown at once. */
const PAGE = 100;
const MOST_NOTES = 20;

const STATUSES = ['failed', 'sealed', 'verified'] as const satisfies readonly Status[];

interface Verdict {
  readonly look: Status;
  readonly title: string;
  readonly text: string;
}

const verdictOf = ({ counts, kept, receipts, passedOver, log }: Verification): Verdict => {
  const lost = kept.filter(({ isFound }) => !isFound).length;
  if (counts.failed > 0)
    return {
      look: 'failed',
      title: 'Something is wrong',
      text: `${counts.failed} of ${counted(receipts.length, 'receipt')} failed. Either this file was changed, or the rolls did not happen as promised.`,
    };
  if (lost > 0)
    return {
      look: 'failed',
      title: 'Something that you kept is missing',
      text: `${counted(lost, 'thing')} that you kept ${lost === 1 ? 'is' : 'are'} not in this proof. Either the proof is of other rolls, or somebody changed or removed yours.`,
    };
  if (log !== null && log.reasons.length > 0)
    return {
      look: 'failed',
      title: 'Something is wrong with the public log',
      text: 'The rolls fit together, but it is not certain that others were shown the same history.',
    };
  if (looksChosen(passedOver))
    return {
      look: 'sealed',
      title: 'Every roll is right, but look at those that were not made',
      text: 'You changed seeds before good rolls more often than chance explains.',
    };
  if (counts.sealed > 0)
    return {
      look: counts.verified > 0 ? 'verified' : 'sealed',
      title: 'Nothing is wrong so far',
      text: `${counted(counts.verified, 'receipt')} verified. ${counts.sealed === 1 ? 'One is' : `${counts.sealed} are`} still sealed: the server seed is secret until you choose new seeds.`,
    };
  return {
    look: 'verified',
    title: 'Everything is right',
    text: `${receipts.length === 1 ? 'The receipt is' : `All ${receipts.length.toLocaleString('en-US')} receipts are`} verified: made again from the seeds, the rolls give exactly these results.`,
  };
};

const banner = ({ look, title, text }: Verdict): HTMLElement =>
  element(
    'div',
    { class: `banner ${look}` },
    icon(look),
    element('div', {}, element('h2', { id: 'verdict' }, title), element('p', {}, text)),
  );

/** What is shown in place of a result if the text is not a proof. */
export const errorView = (error: string): HTMLElement[] => [
  element(
    'div',
    { class: 'banner failed' },
    icon('failed'),
    element(
      'div',
      {},
      element('h2', { id: 'verdict' }, 'This cannot be checked'),
      element('p', {}, error),
      element('p', {}, 'A proof is a file that begins with {"v":2,. Get it from your game, and open it as it is.'),
    ),
  ),
];

const countTile = (status: Status, count: number): HTMLElement =>
  element(
    'li',
    { class: `tile ${count === 0 ? 'none' : status}` },
    element('span', { class: 'number' }, count.toLocaleString('en-US')),
    badge(status, count === 0),
  );

const lostReceipts = ({ kept }: Verification): HTMLElement | null => {
  const lost = kept.filter(({ isFound }) => !isFound);
  if (lost.length === 0) return null;
  return element(
    'div',
    { class: 'panel lost' },
    element('h3', {}, 'What you kept, but is not in this proof'),
    element(
      'ul',
      { class: 'codes' },
      ...lost.map(({ kind, value }) => element('li', {}, `${upper(kind)} `, element('code', {}, value))),
    ),
  );
};

const notesView = ({ notes }: Verification): HTMLElement | null => {
  if (notes.length === 0) return null;
  const left = notes.length - MOST_NOTES;
  const lines = notes.slice(0, MOST_NOTES).map((note) => element('li', {}, note));
  if (left > 0) lines.push(element('li', {}, `And ${left} more.`));
  return element(
    'div',
    { class: 'panel' },
    element('h3', {}, icon('note'), 'What this proof does not show'),
    element('ul', { class: 'notes' }, ...lines),
  );
};

/** What rotations prevented, and whether it looks like chance. */
const notMadeView = ({ notMade, passedOver, itemsOf }: Verification): HTMLElement | null => {
  if (notMade.length === 0) return null;
  const lines = notMade
    .slice(-MOST_NOTES)
    .map((roll) =>
      element(
        'li',
        {},
        `${upper(nameOfNotMade(roll))}: `,
        element('strong', {}, itemsText(itemsOf({ pool: roll.call.pool, results: roll.results }))),
      ),
    );
  const text = textOfPassedOver(passedOver);
  const isSuspect = looksChosen(passedOver);
  return element(
    'details',
    { class: 'panel', open: isSuspect },
    element('summary', {}, 'Rolls that were not made, because you changed seeds before'),
    element('ul', { class: 'notes' }, ...lines),
    text === undefined ? null : element('p', { class: isSuspect ? 'wrong' : 'hint' }, text),
  );
};

/** Whether the rotations are in the log that everybody sees, and what to keep of it. */
const logView = ({ log }: Verification): HTMLElement => {
  const panel = (className: string, ...parts: (HTMLElement | null)[]): HTMLElement =>
    element('div', { class: className, id: 'log' }, element('h3', {}, 'The public log'), ...parts);
  if (log === null)
    return panel(
      'panel',
      element('p', {}, 'This proof does not show it, so you cannot tell whether others see the same history as you.'),
    );
  const { newest } = log;
  return panel(
    log.reasons.length > 0 ? 'panel lost' : 'panel',
    log.reasons.length === 0
      ? element(
          'p',
          {},
          `${counted(log.included, 'change')} of seeds or odds in this proof ${log.included === 1 ? 'is' : 'are'} in the log that everybody sees.`,
        )
      : element('ul', { class: 'notes' }, ...log.reasons.map((reason) => element('li', {}, reason))),
    newest === undefined
      ? null
      : element(
          'p',
          {},
          'Keep its head, and compare it with others: ',
          element('code', {}, `${newest.size} ${newest.root}`),
        ),
  );
};

/** A file with everything to keep, for the next check. */
const keepView = ({ toKeep, isSound }: Verification): HTMLElement | null => {
  if (!isSound) return null;
  const button = element('button', { type: 'button', class: 'button' }, 'Save what to keep');
  button.addEventListener('click', () => {
    const address = URL.createObjectURL(new Blob([keptText(toKeep)], { type: 'application/json' }));
    element('a', { href: address, download: 'kept.json' }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  });
  return element(
    'div',
    { class: 'panel', id: 'keep' },
    element('h3', {}, 'What to keep'),
    element(
      'p',
      {},
      'One file with the codes of your newest receipts, the next commitment, the head of the public log and what you kept before. Next time, get the proof of all your epochs, and choose both files together: then nothing that you have seen today can have been changed.',
    ),
    button,
  );
};

const lookalikesView = ({ lookalikes }: Verification): HTMLElement | null =>
  lookalikes.length === 0
    ? null
    : element(
        'div',
        { class: 'panel' },
        element('h3', {}, icon('note'), 'Templates with the same odds'),
        element('p', {}, 'Whoever runs the game could have sent you to one or the other, knowing what you would get.'),
        element('ul', { class: 'notes' }, ...lookalikes.map((ids) => element('li', {}, ids.join(', ')))),
      );

const seedLine = (name: string, value: HTMLElement | string): HTMLElement =>
  element('div', {}, element('dt', {}, name), element('dd', {}, value));

const code = (text: string): HTMLElement => element('code', {}, text);

/** Both seeds of an epoch, and the promise. */
const seedsView = (epoch: number, { receipts, seeds }: Verification): HTMLElement => {
  const rotation = receipts.find(({ receipt }) => receipt.kind === 'rotate' && receipt.epoch === epoch)?.receipt as
    | RotateReceipt
    | undefined;
  const revealed = seeds.find((seed) => seed.epoch === epoch);
  return element(
    'dl',
    { class: 'seeds' },
    ...(rotation === undefined
      ? []
      : [seedLine('Your client seed', code(rotation.clientSeed)), seedLine('Promise', code(rotation.commitment))]),
    seedLine(
      'Server seed',
      revealed === undefined
        ? 'still secret'
        : element(
            'span',
            {},
            code(revealed.seed),
            revealed.isCommitted === false ? element('strong', { class: 'wrong' }, ' does not fit the promise') : null,
          ),
    ),
  );
};

/** Shows a page of receipts, under the epochs that they belong to. */
const listReceipts = (receipts: readonly CheckedReceipt[], around: Around, place: HTMLElement): void => {
  place.replaceChildren();
  let shown = 0;
  let epoch: number | undefined;
  let list = element('ol', { class: 'receipts' });
  const button = element('button', { type: 'button', class: 'button' });
  const showMore = (): void => {
    const next = receipts.slice(shown, shown + PAGE);
    const first = next[0];
    let focused: HTMLElement | null = null;
    for (const checked of next) {
      if (checked.receipt.epoch !== epoch) {
        epoch = checked.receipt.epoch;
        list = element('ol', { class: 'receipts' });
        place.append(element('h4', {}, `Epoch ${epoch}`), seedsView(epoch, around.verification), list);
      }
      const view = receiptView(checked, around);
      if (checked === first && shown > 0) focused = view.querySelector('button');
      list.append(view);
    }
    shown += next.length;
    button.remove();
    const left = receipts.length - shown;
    if (left > 0) {
      button.textContent = `Show ${Math.min(PAGE, left)} more of ${left.toLocaleString('en-US')}`;
      place.append(button);
    }
    focused?.focus();
  };
  button.addEventListener('click', showMore);
  showMore();
};

/** Which receipts to list; the failed ones first of all. */
const filterView = (verification: Verification, onChoice: (status: Status | 'all') => void): HTMLElement | null => {
  const { counts, receipts } = verification;
  const present = STATUSES.filter((status) => counts[status] > 0);
  if (present.length < 2) return null;
  const chosen = counts.failed > 0 ? 'failed' : 'all';
  const choices = (['all', ...present] as const).map((status) => {
    const input = element('input', { type: 'radio', name: 'filter', value: status, checked: status === chosen });
    input.addEventListener('change', () => onChoice(status));
    const count = status === 'all' ? receipts.length : counts[status];
    return element(
      'label',
      {},
      input,
      element('span', {}, `${sentence(status).slice(0, -1)} (${count.toLocaleString('en-US')})`),
    );
  });
  return element(
    'fieldset',
    { class: 'filter' },
    element('legend', { class: 'covered' }, 'Receipts to show'),
    ...choices,
  );
};

/** Everything that was found. */
export const resultView = (verification: Verification): HTMLElement[] => {
  const { counts, receipts, userId } = verification;
  const around: Around = {
    verification,
    hashes: new Set(receipts.map(({ hash }) => hash)),
    kept: new Set(verification.kept.map(({ value }) => value)),
  };
  const list = element('div', { class: 'list' });
  const show = (status: Status | 'all'): void => {
    const chosen = status === 'all' ? receipts : receipts.filter((checked) => checked.status === status);
    // Several files may come in any order: each epoch is shown once.
    const byEpoch = chosen.toSorted((left, right) => left.receipt.epoch - right.receipt.epoch);
    listReceipts(byEpoch, around, list);
  };
  show(counts.failed > 0 ? 'failed' : 'all');
  return [
    banner(verdictOf(verification)),
    element(
      'ul',
      { class: 'tiles' },
      ...(['verified', 'sealed', 'failed'] as const).map((status) => countTile(status, counts[status])),
    ),
    lostReceipts(verification),
    notesView(verification),
    notMadeView(verification),
    logView(verification),
    keepView(verification),
    lookalikesView(verification),
    element('h3', { class: 'heading' }, 'Receipts of ', element('span', { class: 'player' }, userId)),
    filterView(verification, show),
    list,
  ].filter((part) => part !== null);
};
