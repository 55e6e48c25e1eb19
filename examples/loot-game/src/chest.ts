import { chestPicture } from './chest-picture.ts';
import { byId, fill, h, onClick } from './dom.ts';
import { nextChances, oddsTable, pityMeters } from './odds.ts';
import { rollOnce } from './rolls.ts';
import { onChange, type Shown } from './state.ts';

const show = (shown: Shown): void => {
  const { world, me } = shown;
  const { chest } = world;
  const open = h(
    'button',
    { id: 'roll-chest-1', class: 'primary roll', type: 'button', disabled: me.embers < chest.cost },
    h('strong', {}, 'Open a chest'),
    h('span', {}, `${chest.cost} embers`),
  );
  fill(
    byId('chest'),
    h(
      'div',
      { class: 'hero panel' },
      h('div', { class: 'halo plain' }, chestPicture('closed')),
      h(
        'div',
        { class: 'hero-text' },
        h('p', { class: 'eyebrow' }, `${chest.pack?.cards ?? 0} different items in each`),
        h('h1', { id: 'chest-title' }, chest.name),
        h('p', {}, 'The last of them is uncommon or better.'),
        h(
          'div',
          { class: 'buttons' },
          onClick(open, () => rollOnce(shown, 'chest', 1)),
        ),
      ),
    ),
    h(
      'div',
      { class: 'pair' },
      h(
        'div',
        { class: 'panel' },
        h('h2', {}, 'Pity'),
        pityMeters(chest, me.chest, 'chests'),
        h('h3', {}, 'Your next chest contains'),
        nextChances(chest, me.chest),
      ),
      h('div', { class: 'panel' }, h('h2', {}, 'Odds of each card'), oddsTable(chest, shown, 'chests')),
    ),
  );
};

export const showChest = (): void => onChange(show);
