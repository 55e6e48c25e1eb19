import { showBag } from './bag.ts';
import { showBanner } from './banner.ts';
import { CallError, getMe, getWorld, signIn, signOut } from './calls.ts';
import { showChest } from './chest.ts';
import { byId, h, toast } from './dom.ts';
import { showFairness } from './fairness.ts';
import { forgetRolls, resumeRoll } from './rolls.ts';
import { ensureSeed } from './seeds.ts';
import { onChange, refresh, start } from './state.ts';

const VIEWS = ['banner', 'chest', 'bag', 'fairness'];

/** Failures that nothing else handles are shown. */
const attempt = (work: () => Promise<void>): void => {
  work().catch((error: unknown) => {
    toast(error instanceof CallError ? error.message : 'Something went wrong on this page. Reload it.', 'bad');
  });
};

const showView = (): string => {
  const wanted = location.hash.slice(1);
  const view = VIEWS.includes(wanted) ? wanted : 'banner';
  document.body.dataset.view = view;
  for (const link of document.querySelectorAll('nav a'))
    if (link.getAttribute('href') === `#${view}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  return view;
};

const play = async (): Promise<void> => {
  const me = await getMe();
  byId('sign-in').hidden = me !== null;
  byId('game').hidden = me === null;
  if (me === null) return;
  const shown = start(await getWorld(), me);
  // Before the first roll, and whenever the odds have changed.
  if (await ensureSeed(me.fairness)) await refresh();
  resumeRoll(shown);
};

showBanner();
showChest();
showFairness();
showBag();
onChange(({ me }) => {
  byId('embers').replaceChildren(`${me.embers} of ${me.allowance}`, h('span', { class: 'visually-hidden' }, ' embers'));
  byId('player').textContent = me.name;
});

showView();
addEventListener('hashchange', () => byId(showView()).focus({ preventScroll: true }));

byId('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(async () => {
    await signIn(byId<HTMLInputElement>('name').value);
    forgetRolls();
    await play();
  });
});
byId('sign-out').addEventListener('click', () =>
  attempt(async () => {
    if (!confirm('Without a password there is no way back to this player. Leave all the same?')) return;
    await signOut();
    forgetRolls();
    location.reload();
  }),
);

attempt(play);
