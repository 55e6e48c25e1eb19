import type { Rolled, RolledItem } from '../server/api.ts';
import { chestPicture } from './chest-picture.ts';
import { byId, h, setVariables } from './dom.ts';
import type { Shown } from './state.ts';

const ORDER = ['common', 'uncommon', 'rare', 'epic', 'legendary'];

const describe = ({ name, rarity }: { name: string; rarity: string }): string => `${name}, ${rarity}`;

const card = ({ itemId, isFeatured, isPity, isPlaced, attributes }: RolledItem, at: number, { items }: Shown) => {
  const item = items.get(itemId);
  const element = h(
    'li',
    { class: `card ${item?.rarity}` },
    h('img', { src: item?.picture, alt: '' }),
    h('strong', {}, item?.name ?? itemId),
    h('span', { class: 'rarity' }, item?.rarity ?? ''),
    ...attributes.map(({ name, value }) => h('span', { class: 'small' }, `${name} ${value}`)),
    isFeatured && h('span', { class: 'badge' }, 'Featured'),
    isPity && h('span', { class: 'badge' }, 'By pity'),
    !isPlaced && h('span', { class: 'small' }, 'Left on the ground'),
  );
  setVariables(element, { at });
  return element;
};

/** Shows what was rolled, and waits until the player has seen it. */
export const reveal = (rolled: Rolled, shown: Shown): Promise<void> => {
  const dialog = byId<HTMLDialogElement>('reveal');
  const found = rolled.items.flatMap(({ itemId }) => shown.items.get(itemId) ?? []);
  const best = Math.max(...found.map(({ rarity }) => ORDER.indexOf(rarity)));
  const status = h('p', { class: 'visually-hidden', role: 'status' });
  const close = h('button', { class: 'primary take', type: 'button' }, 'Take it');
  dialog.className = `${rolled.what} best-${ORDER[best] ?? 'common'}`;
  dialog.replaceChildren(
    // It gets the focus, so that what was rolled is seen from the top on.
    h(
      'h2',
      { id: 'reveal-title', tabindex: '-1', autofocus: true },
      rolled.what === 'chest' ? 'In the chest' : 'The embers give you',
    ),
    rolled.what === 'chest' ? chestPicture('opening') : '',
    h(
      'ol',
      { class: `cards ${rolled.items.length === 1 ? 'single' : ''}` },
      ...rolled.items.map((one, at) => card(one, at, shown)),
    ),
    h('p', { class: 'small receipt' }, 'Receipt ', h('code', {}, rolled.receipt)),
    close,
    status,
  );
  dialog.showModal();
  // Said after the dialog was announced.
  setTimeout(() => {
    status.textContent = `You got: ${found.map(describe).join('; ')}.`;
  }, 300);
  return new Promise((resolve) => {
    // Escape closes it, too; its event comes a little later.
    dialog.addEventListener('close', () => resolve(), { once: true });
    close.addEventListener('click', () => {
      dialog.close();
      resolve();
    });
  });
};
