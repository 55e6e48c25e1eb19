import { CallError, chooseSeed } from './calls.ts';
import { byId, fill, h, toast } from './dom.ts';
import { keptReceipts } from './rolls.ts';
import { randomText, receiptsIn } from './seeds.ts';
import { onChange, refresh, type Shown } from './state.ts';

/** Older proofs can still be asked for; a list of all of them would be long. */
const LISTED_EPOCHS = 5;

const seedForm = ({ me }: Shown): HTMLFormElement => {
  const { nextCommitment, nextManifest, clientSeed } = me.fairness;
  // What was typed stays as long as it is for the same commitment.
  const typed = document.querySelector<HTMLInputElement>(`#seed[data-for="${nextCommitment}"]`)?.value;
  const input = h('input', {
    ...{ id: 'seed', name: 'seed', required: true, maxlength: 100, 'data-for': nextCommitment },
    value: typed ?? randomText(),
  });
  const form = h(
    'form',
    {},
    h('p', {}, 'The service has already fixed its next seed, and all odds. These are their fingerprints:'),
    h('p', {}, h('code', {}, nextCommitment)),
    h('p', {}, h('code', {}, nextManifest)),
    h('label', { for: 'seed' }, 'Your next seed'),
    input,
    h('button', { id: 'use-seed', class: 'primary', type: 'submit' }, 'Use this seed'),
    h(
      'p',
      { class: 'small hint' },
      'Any text you like. A new seed ends the current epoch and reveals the seed that the service used in it.',
    ),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      if (input.value.trim() === clientSeed)
        throw new CallError('Choose a seed that differs from the last one.', false);
      await chooseSeed({ clientSeed: input.value, commitment: nextCommitment, manifest: nextManifest });
      toast('A new epoch has begun. The proof of the last one is ready.');
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      toast(error.message, 'bad');
    }
    await refresh().catch(() => {});
  });
  return form;
};

const proofs = ({ me }: Shown): HTMLElement => {
  const { epoch } = me.fairness;
  const closed = Array.from({ length: Math.min(epoch ?? 0, LISTED_EPOCHS) }, (_, at) => (epoch ?? 0) - 1 - at);
  if (closed.length === 0)
    return h('p', {}, 'There is no proof yet. It will be ready as soon as you choose your next seed.');
  return h(
    'ul',
    { class: 'proofs' },
    ...closed.map((number) =>
      h(
        'li',
        {},
        h(
          'a',
          { class: 'button', href: `/api/proofs/${number}`, download: `proof-${number}.json` },
          `Proof of epoch ${number}`,
        ),
      ),
    ),
  );
};

const show = (shown: Shown): void => {
  const { fairness } = shown.me;
  const kept = keptReceipts();
  fill(
    byId('fairness'),
    h(
      'div',
      { class: 'panel' },
      h('h1', { id: 'fairness-title' }, 'Fairness'),
      h(
        'p',
        {},
        'Each roll is made from two seeds: yours, and one of the service, which was fixed before you chose yours. When you change your seed, you can check every roll that was made with the old one, on your own device.',
      ),
      h(
        'dl',
        {},
        h('dt', {}, 'Epoch'),
        h('dd', {}, String(fairness.epoch ?? 'none yet')),
        h('dt', {}, 'Receipts in it'),
        h('dd', {}, String(receiptsIn(fairness))),
        h('dt', {}, 'Your seed'),
        h('dd', {}, h('code', {}, fairness.clientSeed ?? 'none yet')),
        h('dt', {}, 'Fingerprint of the service’s seed'),
        h('dd', {}, h('code', {}, fairness.commitment ?? 'none yet')),
      ),
    ),
    h(
      'div',
      { class: 'pair' },
      h('div', { class: 'panel' }, h('h2', {}, '1. Choose a new seed'), seedForm(shown)),
      h(
        'div',
        { class: 'panel' },
        h('h2', {}, '2. Download the proof'),
        proofs(shown),
        h('h2', {}, '3. Check it'),
        h(
          'p',
          {},
          'Open the page that verifies rolls and drop the file on it. It makes every roll again and sends nothing anywhere.',
        ),
        h(
          'p',
          {},
          h('a', { class: 'button', href: shown.world.verifyUrl, target: '_blank', rel: 'noopener' }, 'Verify rolls'),
        ),
        h(
          'details',
          { id: 'kept-receipts' },
          h('summary', {}, `Receipts that this browser kept (${kept.length})`),
          h(
            'p',
            { class: 'small' },
            'Paste them there, too. Then you can be certain that these are the rolls you saw.',
          ),
          h('textarea', { readonly: true, rows: 5, 'aria-label': 'Receipts' }, kept.join('\n')),
        ),
      ),
    ),
  );
};

export const showFairness = (): void => onChange(show);
