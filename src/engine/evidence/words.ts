/** What is said about evidence: the console and the page for players use the same words. The page translates them. */

/** Less is nothing to talk about: a sound configuration ever reaches it with a chance of at most 10 %. */
const WORTH_SAYING = 10;
/** The service reports no more. */
const MOST = 1e12;

/**
 * How a language writes evidence as a ratio: 1 : 24. Rounded down, so that it never seems to have reached what it has
 * not.
 */
export const createRatioFormat = (locale: string, moreThan: (most: string) => string) => {
  const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 0, roundingMode: 'floor' });
  const compact = new Intl.NumberFormat(locale, {
    notation: 'compact',
    compactDisplay: 'long',
    maximumSignificantDigits: 3,
    roundingMode: 'floor',
  });
  return (evidence: number): string => {
    if (evidence >= MOST) return `1 : ${moreThan(compact.format(MOST))}`;
    return `1 : ${evidence < 1e6 ? exact.format(Math.max(1, evidence)) : compact.format(evidence)}`;
  };
};

export const formatRatio = createRatioFormat('en', (most) => `more than ${most}`);

export const isWorthSaying = (evidence: number): boolean => evidence >= WORTH_SAYING;

export const evidenceWords = (evidence: number): string =>
  isWorthSaying(evidence)
    ? `Evidence ${formatRatio(evidence)} against the published odds`
    : 'No evidence against the published odds';

/** For evidence that is worth saying, but no alarm. */
export const MAY_BE_CHANCE = 'This is too little for an alarm, and may be chance.';

/** About all configurations that a template ever had. */
export const templateWords = (evidence: number): string =>
  `All configurations that the template ever had, taken together: ${evidenceWords(evidence).toLowerCase()}.`;

/** About all configurations of all templates. */
export const teamWords = (evidence: number): string =>
  `All configurations of all templates, taken together: ${evidenceWords(evidence).toLowerCase()}.`;

export const HOW_IT_IS_COMPARED =
  "Every roll is compared with the odds that applied to it at that moment, given the player's counters.";

export const RANGES_ARE_PER_ROW =
  'A range holds for its own row: with a confidence of 95 %, it contains the true rate at all times. Among many rows, some miss it by chance.';

export const ROWS_PROVE_LITTLE =
  'A single row proves little: among many rows, some differ by chance. Only the evidence of the whole configuration takes that into account.';

export const EVERYTHING_COUNTS = 'All rolls count, however old they are.';
