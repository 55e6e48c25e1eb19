import { showBag } from './bag.ts';
import { showBanner } from './banner.ts';
import { CallError, getMe, getWorld, signIn, signOut } from './calls.ts';
import { showChest } from './chest.ts';
import { byId, h, toast } from './dom.ts';
import { showFairness } from './fairness.ts';
import { forgetRolls, resumeRoll } from './rolls.ts';
import { ensureSeed } from './seeds.ts';
import { onChange, start } from './state.ts';

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
  let me = await getMe();
  // Before anything can be clicked: the first roll needs a seed, and so does the first after the odds have changed.
  if (me !== null && (await ensureSeed(me.fairness))) me = await getMe();
  const world = me === null ? undefined : await getWorld();
  byId('sign-in').hidden = me !== null;
  byId('game').hidden = me === null;
  if (me !== null && world !== undefined) resumeRoll(start(world, me));
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
    if (!confirm('Without a password, there is no way back to this player. Leave anyway?')) return;
    await signOut();
    forgetRolls();
    location.reload();
  }),
);

attempt(play);
