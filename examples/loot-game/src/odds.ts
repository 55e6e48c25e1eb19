/** Odds, pity and chances, all as the service computed them. */
import type { Offer } from '../server/api.ts';
import type { UserTemplateState } from '../server/itemwright.ts';
import { h, number, percent, setVariables } from './dom.ts';
import type { Shown } from './state.ts';

const nameOf = ({ tiers }: Offer, tier: string | null): string => tiers.find((one) => one.tier === tier)?.name ?? '';

/** The chance of each tier on the next roll of this player. */
export const nextChances = (offer: Offer, { next }: UserTemplateState): HTMLElement =>
  h(
    'ul',
    { class: 'chances' },
    ...next.map(({ tier, rate }) => {
      const row = h(
        'li',
        { class: tier ?? '' },
        h('span', { class: 'rarity' }, nameOf(offer, tier)),
        h('span', { class: 'bar', 'aria-hidden': 'true' }),
        h('strong', {}, percent(rate)),
      );
      setVariables(row, { rate });
      return row;
    }),
  );

/** The chance of the rarest tier by the number of rolls without it, with the roll that comes next. */
const curve = ({ byRoll, threshold }: Offer['pity'][number], nextRoll: number): HTMLElement => {
  const bars = byRoll.flatMap(({ from, to, rate }) =>
    Array.from({ length: to - from + 1 }, (_, at) => {
      const bar = h('i', { class: from + at === nextRoll ? 'next' : from + at < nextRoll ? 'past' : '' });
      setVariables(bar, { rate });
      return bar;
    }),
  );
  return h(
    'div',
    { class: 'curve', role: 'img', 'aria-label': `Chance by roll: it rises until it is certain on roll ${threshold}` },
    ...bars,
  );
};

/** How far a player is from what pity promises. */
export const pityMeters = (offer: Offer, state: UserTemplateState, unit: string): HTMLElement =>
  h(
    'div',
    { class: 'meters' },
    ...offer.pity.map((pity, index) => {
      const since = index === 0 ? state.sinceTop : (state.pities.find(({ tier }) => tier === pity.tier)?.since ?? 0);
      const name = nameOf(offer, pity.tier);
      return h(
        'div',
        { class: `meter ${pity.tier}` },
        h(
          'p',
          {},
          h('strong', { class: 'rarity' }, name),
          ` ${since} of ${pity.threshold} ${unit} without one; certain by number ${pity.threshold}${index === 0 ? '' : ', unless something rarer comes'}`,
        ),
        h('progress', { max: pity.threshold, value: since, 'aria-label': `Pity of ${name}` }),
        index === 0 && curve(pity, since + 1),
      );
    }),
  );

const wait = (value: number | null): string => (value === null ? '–' : number(value));

export const oddsTable = (offer: Offer, { items }: Shown, unit: string): HTMLElement =>
  h(
    'div',
    {},
    h(
      'table',
      {},
      h('caption', {}, 'Exact odds, from the rules that roll'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ...['Tier', 'Base', 'With pity', `Mean ${unit}`, 'At most'].map((text) => h('th', { scope: 'col' }, text)),
        ),
      ),
      h(
        'tbody',
        {},
        ...offer.tiers.map(({ tier, name, base, effective, expectedRolls, worstRolls }) =>
          h(
            'tr',
            { class: tier ?? '' },
            h('th', { scope: 'row', class: 'rarity' }, name ?? ''),
            ...[percent(base), percent(effective), wait(expectedRolls), wait(worstRolls)].map((text) =>
              h('td', {}, text),
            ),
          ),
        ),
      ),
    ),
    h(
      'details',
      { id: `items-of-${offer.templateId}` },
      h('summary', {}, 'Odds of each item'),
      h(
        'ul',
        { class: 'item-odds' },
        ...offer.items
          .toSorted((one, other) => one.effective - other.effective)
          .map(({ itemId, itemName, tier, featured, effective }) =>
            h(
              'li',
              { class: tier ?? '' },
              h('img', { src: items.get(itemId)?.picture, alt: '' }),
              h('span', { class: 'rarity' }, itemName, featured ? ' (featured)' : ''),
              h('strong', {}, percent(effective)),
            ),
          ),
      ),
    ),
    h('p', {}, h('a', { href: offer.oddsUrl, target: '_blank', rel: 'noopener' }, 'The public page of these odds')),
  );
