import type { Offer } from '../server/api.ts';
import type { UserTemplateState } from '../server/itemwright.ts';
import { byId, fill, h, onClick, percent } from './dom.ts';
import { nextChances, oddsTable, pityMeters } from './odds.ts';
import { rollOnce } from './rolls.ts';
import { onChange, type Shown } from './state.ts';

const rollButton = (shown: Shown, count: number, label: string): HTMLButtonElement => {
  const cost = shown.world.banner.cost * count;
  return onClick(
    h(
      'button',
      { id: `roll-banner-${count}`, class: 'primary roll', type: 'button', disabled: shown.me.embers < cost },
      h('strong', {}, label),
      h('span', {}, cost === 1 ? '1 ember' : `${cost} embers`),
    ),
    () => rollOnce(shown, 'banner', count),
  );
};

const promise = ({ featured }: Offer, { losses }: UserTemplateState, names: string): string => {
  if (featured?.share == null) return '';
  return featured.guaranteeAfterLosses !== null && losses >= featured.guaranteeAfterLosses
    ? `The last legendary was another one, so the next is certain to be ${names}.`
    : `${percent(featured.share)} of the legendary results are ${names}. After one that is not, the next one is.`;
};

const show = (shown: Shown): void => {
  const { world, me, items } = shown;
  const { banner } = world;
  const featured = banner.featured?.itemIds.flatMap((id) => items.get(id) ?? []) ?? [];
  const names = featured.map(({ name }) => name).join(', ');
  fill(
    byId('banner'),
    h(
      'div',
      { class: 'hero panel' },
      h('div', { class: 'halo' }, ...featured.map(({ picture, name }) => h('img', { src: picture, alt: name }))),
      h(
        'div',
        { class: 'hero-text' },
        h('p', { class: 'eyebrow' }, 'Featured: ', h('strong', {}, names)),
        h('h1', { id: 'banner-title' }, banner.name),
        h('p', {}, promise(banner, me.banner, names)),
        h('div', { class: 'buttons' }, rollButton(shown, 1, 'Roll once'), rollButton(shown, 10, 'Roll ten')),
      ),
    ),
    h(
      'div',
      { class: 'pair' },
      h(
        'div',
        { class: 'panel' },
        h('h2', {}, 'Pity'),
        pityMeters(banner, me.banner, 'rolls'),
        h('h3', {}, 'Your next roll'),
        nextChances(banner, me.banner),
      ),
      h('div', { class: 'panel' }, h('h2', {}, 'Odds'), oddsTable(banner, shown, 'rolls')),
    ),
  );
};

export const showBanner = (): void => onChange(show);
