/** Rolling, so that a click is one roll, whatever happens to the network, the page or the player's patience. */
import type { Offered, Rolled, RollRequest } from '../server/api.ts';
import { CallError, roll as send } from './calls.ts';
import { byId, toast } from './dom.ts';
import { reveal } from './reveal.ts';
import { ensureSeed, randomText } from './seeds.ts';
import { refresh, type Shown } from './state.ts';

const PENDING = 'loot.pending';
const RECEIPTS = 'loot.receipts';
const MAX_RECEIPTS = 200;

const pending = (): RollRequest | undefined => {
  const stored = localStorage.getItem(PENDING);
  return stored === null ? undefined : (JSON.parse(stored) as RollRequest);
};

/** The receipts that this browser kept, newest last. */
export const keptReceipts = (): string[] => JSON.parse(localStorage.getItem(RECEIPTS) ?? '[]') as string[];

const keepReceipt = ({ receipt }: Rolled): void => {
  const kept = [...new Set([...keptReceipts(), receipt])].slice(-MAX_RECEIPTS);
  localStorage.setItem(RECEIPTS, JSON.stringify(kept));
};

/** What belongs to the player who leaves. */
export const forgetRolls = (): void => {
  for (const name of [PENDING, RECEIPTS]) localStorage.removeItem(name);
};

let isRolling = false;

const setRolling = (value: boolean): void => {
  isRolling = value;
  document.body.toggleAttribute('data-rolling', value);
};

/** Sends the roll that is noted; it stays noted until its result was seen, so that a reload shows it again. */
const finish = async (shown: Shown): Promise<void> => {
  const request = pending();
  if (request === undefined || isRolling) return;
  setRolling(true);
  byId('pending').hidden = true;
  try {
    if (await ensureSeed(shown.me.fairness)) await refresh();
    const rolled = await send(request);
    keepReceipt(rolled);
    // Shown behind the result; if it fails, the result is still shown.
    const refreshed = refresh().catch(() => {});
    await reveal(rolled, shown);
    localStorage.removeItem(PENDING);
    await refreshed;
    byId(`roll-${request.what}-${request.count}`).focus({ preventScroll: true });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    toast(error.message, 'bad');
    if (error.isTemporary) byId('pending').hidden = false;
    else {
      localStorage.removeItem(PENDING);
      await refresh().catch(() => {});
    }
  } finally {
    setRolling(false);
  }
};

/** A click on a button: the key is made and noted before anything is sent. A roll that is not finished comes first. */
export const rollOnce = (shown: Shown, what: Offered, count: number): void => {
  if (isRolling) return;
  if (pending() === undefined)
    localStorage.setItem(PENDING, JSON.stringify({ key: randomText(), what, count } satisfies RollRequest));
  finish(shown);
};

/** Finishes what a reload, a crash or a broken connection interrupted. */
export const resumeRoll = (shown: Shown): void => {
  byId('pending')
    .querySelector('button')
    ?.addEventListener('click', () => finish(shown));
  finish(shown);
};
