import {
  EVERYTHING_COUNTS,
  evidenceWords,
  HOW_IT_IS_COMPARED,
  MAY_BE_CHANCE,
  ROWS_PROVE_LITTLE,
  templateWords,
} from '../../engine/evidence/words.ts';
import { createFormats } from './page-formats.presenter.ts';
import type { Words } from './words.presenter.ts';

const formats = createFormats('en', ' %');
const dates = createFormats('en-GB', ' %');
const { count, exact } = formats;

const NOUNS = {
  gacha: { title: 'Banner', roll: 'roll', aRoll: 'a roll', result: 'roll' },
  idle: { title: 'Idle drops', roll: 'roll', aRoll: 'a roll', result: 'roll' },
  card_pack: { title: 'Card pack', roll: 'pack', aRoll: 'a pack', result: 'card' },
  roguelike: { title: 'Offer', roll: 'offer', aRoll: 'an offer', result: 'choice' },
} as const;

const many = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
const capitalized = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

const ORDINALS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const plural = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = (value: number): string => `${count(value)}${ORDINALS[plural.select(value)]}`;

export const english: Words = {
  tag: 'en',
  language: 'English',
  languages: 'Language',
  gap: ' ',
  formats: { ...formats, moment: dates.moment, shortMoment: dates.shortMoment, listed: dates.listed },

  pageTitle: (name) => `Odds of ${name}`,
  subtitle: (system) => `${NOUNS[system].title}: odds, rules and results`,

  oneRoll: (system) => `One ${NOUNS[system].roll}`,
  contents: (system, cards, areDifferent) =>
    `${count(cards)}${areDifferent ? ' different' : ''} ${system === 'roguelike' ? 'items to choose from' : 'cards'}`,
  available: 'Available',
  always: 'no time limit',
  until: (time) => `until ${time}`,
  from: (time) => `from ${time}`,
  between: (start, end) => `${start} to ${end}`,
  inForceSince: 'In force since',
  accrual: 'Accrual',
  accrues: (rollsPerHour, maxHours, maxRolls) =>
    `${exact(rollsPerHour)} ${rollsPerHour === 1 ? 'roll' : 'rolls'} per hour, for up to ${exact(maxHours)} ${maxHours === 1 ? 'hour' : 'hours'} (at most ${many(maxRolls, 'roll')})`,

  tier: 'Tier',
  allItems: 'All items',
  total: 'Total',
  never: 'never',
  noLimit: 'no limit',
  rolls: (system, value) => many(value, NOUNS[system].roll),
  chance: (system) => ({ text: 'Chance', more: `per ${NOUNS[system].result}` }),
  overall: { text: 'Overall', more: 'with pity' },
  average: (system) => ({ text: `Average ${NOUNS[system].roll}s`, more: 'until the first' }),
  most: (system) => ({ text: 'At most', more: `that many ${NOUNS[system].roll}s` }),
  inRoll: (system) => ({ text: `In ${NOUNS[system].aRoll}`, more: '(at least one)' }),
  half: 'Half of all players have one after',
  oddsByTier: 'Odds by tier',
  chanceNote: (system) => {
    const { aRoll, result } = NOUNS[system];
    const average =
      system === 'card_pack' || system === 'roguelike' ? `, on average over all ${result}s of ${aRoll}` : '';
    return `“Chance” is the chance of one ${result} without any help${average}.`;
  },
  overallNote: (system, { pity, guarantee }) => {
    const helps = [...(pity ? ['pity'] : []), ...(guarantee ? ['the guarantee'] : [])].join(' and ');
    return `“Overall” is the share of all ${NOUNS[system].result}s in the long run, with ${helps}.`;
  },
  averageNote: (system) =>
    `“Average ${NOUNS[system].roll}s” is how many it takes until the first one, “at most” how many it can take; a dash means that there is no limit.`,
  roundingNote: 'Percentages are rounded to four digits, so a column may add up to slightly more or less than 100 %.',

  oddsOfItems: 'Odds of each item',
  item: 'Item',
  featuredBadge: 'featured',
  itemsListed: (value) => `The ${count(value)} items of the rarest tiers are listed here.`,
  allItemsAsJson: (value) => `All ${count(value)} items as JSON`,
  itemsTogether: (value) => `The odds of all ${many(value, 'item')} add up to 100 %; each is rounded.`,

  attributes: 'Attributes of items',
  attribute: 'Attribute',
  range: 'Range',
  valueCount: 'Values',
  chanceOfEach: 'Chance of each',
  anyValue: 'any value',
  inSteps: (step) => `in steps of ${exact(step)}`,
  attributesNote: 'Attributes are rolled when an item is given. Every value of a range is equally likely.',
  attributesListed: (value) => `The first ${count(value)} are listed here.`,
  allAttributesAsJson: (value) => `All ${count(value)} as JSON`,

  pity: 'Pity: how the chance rises',
  certain: (system, tier, { misses, isTop, higherResets }) => {
    const { roll } = NOUNS[system];
    const gives = system === 'card_pack' || system === 'roguelike' ? 'contain' : 'give';
    const due = isTop ? tier : `${tier} or a rarer tier`;
    return misses === 0
      ? `Every ${roll} ${gives}s ${due}.`
      : `After ${many(misses, roll)} in a row without ${higherResets ? due : tier}, the next ${roll} is certain to ${gives} ${due}.`;
  },
  rises: (system, roll) => `From the ${ordinal(roll)} ${NOUNS[system].roll} on, the chance is higher than usual.`,
  chanceOf: (tier) => `Chance of ${tier}`,
  sinceLast: (system) => `${capitalized(NOUNS[system].roll)}s since the last one`,
  chanceOnly: 'Chance',
  atLeastOne: 'At least one',
  showEach: (system) => `Show the chance of each ${NOUNS[system].roll}`,
  curve: (system, tier) => `Chance of ${tier}, by ${NOUNS[system].roll}s since the last one`,
  firstRoll: (system) => `1st ${NOUNS[system].roll}`,
  certainRoll: (system, roll) => `${ordinal(roll)} ${NOUNS[system].roll}: 100 %`,
  lowerPity: 'While no rarer tier is near its own pity. Rarer tiers keep their chance when this one is due.',
  countedAlone: 'Counted for each player.',
  countedInGroup: (others) => `Counted for each player, together with ${others}.`,
  countedInHiddenGroup: 'Counted for each player, together with other banners of the same group.',

  featured: 'Featured items',
  featuredAre: (names) => `Featured: ${names}.`,
  featuredMany: (value) => `${count(value)} items, marked in the list of all items`,
  featuredShare: (tier, share) => `A result of ${tier} is featured with a chance of ${share}.`,
  guarantee: (tier, losses) => {
    const lost =
      losses === 1 ? `one result of ${tier} that was` : `${count(losses)} results of ${tier} in a row that were`;
    return `After ${lost} not featured, the next one is certain to be.`;
  },
  spark: (system, points) =>
    `Every ${NOUNS[system].roll} also gives one point. For <strong>${many(points, 'point')}</strong>, players can choose a featured item, so nobody needs more than ${many(points, NOUNS[system].roll)} for one.`,

  cards: (system) => `What each ${NOUNS[system].result} of ${NOUNS[system].aRoll} can be`,
  card: (system) => capitalized(NOUNS[system].result),
  areDifferent: (system) =>
    `All ${NOUNS[system].result}s of ${NOUNS[system].aRoll} are different. When a tier is used up, the others keep their proportions.`,
  depths: 'Offers by depth',
  depth: 'Depth',
  deeper: (scaled) => `All other odds are those at depth 0. Each level further down multiplies rates: ${scaled}.`,
  scaledBy: (tier, factor) => `that of ${tier} by ${exact(factor)}`,
  depthsNote: 'The chance that an offer contains at least one item of the tier, if no pity is due.',

  results: 'Results so far',
  nothingYet: 'Nothing has been rolled with these odds yet.',
  applied: (system, value) => `These odds have applied to about ${many(value, NOUNS[system].result)} so far.`,
  soFar: 'So far',
  promised: 'Promised for these',
  noEvidence: `${evidenceWords(0)}.`,
  against: (evidence) => `${evidenceWords(evidence)}.`,
  alarm: (time) => `The alarm was raised on ${time}.`,
  tooLittle: MAY_BE_CHANCE,
  compared: () => `${HOW_IT_IS_COMPARED} So “promised” may differ from the odds above.`,
  everythingCounts: EVERYTHING_COUNTS,
  rowsProveLittle: ROWS_PROVE_LITTLE,
  noneTogether: templateWords(0),
  allTogether: templateWords,
  forcedLeftOut: (system) => `Shares leave out ${NOUNS[system].result}s that pity decided.`,

  announced: 'Announced changes',
  announcedFrom: (time) => `From ${time} on:`,
  now: 'Now',
  afterwards: 'From then on',
  moreItemsChange: (value) => `The odds of ${many(value, 'more item')} change as well.`,
  announcedNote: 'Shares of all results in the long run, with every rule applied.',

  history: 'History of these odds',
  historyFrom: 'From (UTC)',
  historyUntil: 'Until',
  historyOdds: 'Chance by tier',
  version: 'Version',
  configuration: 'Configuration',
  current: 'now',
  notRollable: 'could not be rolled on',
  notComputed: 'not computed',
  earlierLeftOut: 'Earlier versions are not listed.',

  catalogVersion: (version, config) => `Version ${count(version)} of the catalog, configuration ${config}`,
  computed: 'The odds are computed from the rules that every roll uses, not sampled.',
  asData: (odds, history) => `As data: ${odds}, ${history}.`,
  oddsLink: 'odds and results',
  historyLink: 'history',
};
