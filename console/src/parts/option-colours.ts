/** Colours of the genre, from common to precious. All of them can be told from light and dark backgrounds. */
const GREY = '#848e9a';
const GREEN = '#2f9e44';
const BLUE = '#2c7be5';
const PURPLE = '#a24bdb';
const ORANGE = '#e8750c';
const RED = '#e03131';

const SCALE = [GREY, GREEN, BLUE, PURPLE, ORANGE];
const LONG_SCALE = [GREY, GREEN, '#0f9b9b', BLUE, PURPLE, '#d6459b', ORANGE, RED];

/** The colours of ranks, however many there are: the first is always grey, and the last one orange or beyond. */
export const rankColours = (count: number): readonly string[] => {
  const scale = count <= SCALE.length ? SCALE : count === 6 ? [...SCALE, RED] : LONG_SCALE;
  const last = scale.length - 1;
  return Array.from(
    { length: count },
    (_, rank) => scale[count === 1 ? 0 : Math.round((rank * last) / (count - 1))] ?? GREY,
  );
};

interface Option {
  readonly id: string;
  readonly dropRateMultiplier: number | null;
  readonly color?: string | null;
}

interface Classifier {
  readonly name: string;
  readonly classifierOptions: readonly Option[];
}

const RARITY = /rarit|tier|grade|quality|rank|star/i;

/** The option that drops most comes first. Options that drop alike stay in their order. */
const byRank = (options: readonly Option[]): readonly Option[] =>
  options.toSorted((one, other) => (other.dropRateMultiplier ?? 1) - (one.dropRateMultiplier ?? 1));

/** Whether a classifier is a rarity: by its name, or because every option drops at a rate of its own. */
const isRarity = ({ name, classifierOptions }: Classifier): boolean => {
  const rates = new Set(classifierOptions.map(({ dropRateMultiplier }) => dropRateMultiplier ?? 1));
  return RARITY.test(name) || (classifierOptions.length > 1 && rates.size === classifierOptions.length);
};

/** Those that the team has set, and for a rarity the defaults of the genre. */
export const coloursOf = (classifier: Classifier): ReadonlyMap<string, string> => {
  const { classifierOptions } = classifier;
  const defaults = isRarity(classifier) ? rankColours(classifierOptions.length) : [];
  return new Map(
    byRank(classifierOptions).flatMap(({ id, color }, rank) => {
      const colour = color ?? defaults[rank];
      return colour === undefined ? [] : [[id, colour] as const];
    }),
  );
};
