import { ATTRIBUTES, CLASSIFIERS, ITEMS, idOf, SPACES, TEMPLATES } from './catalog.ts';

const DAY_MS = 24 * 3_600_000;

/** Sends a request as one of the authors. */
type SendAs = (author: string, method: 'GET' | 'POST', url: string, payload?: object) => Promise<unknown>;

export const AUTHORS = ['Build server', 'Item designer', 'Live operations'] as const;
type Author = (typeof AUTHORS)[number];

interface Entity {
  readonly id: string;
  readonly [member: string]: unknown;
}

interface Publication {
  /** Days before now. */
  readonly daysAgo: number;
  readonly author: Author;
  readonly message: string;
  /** The changes, made from the catalog as it is then. */
  readonly changes: (
    find: (kind: string, id: string) => Entity,
  ) => { kind: string; id: string; after: object | null }[];
}

const wants = (kind: string, after: Entity) => ({ kind, id: after.id, after });

const itemOf = ({
  name,
  options,
  thumbnail,
  width,
  height,
  rollNumerator,
  ranges,
}: (typeof ITEMS)[number]): Entity => ({
  ...{ id: idOf(name), name, thumbnail, rollNumerator, width, height },
  classifierOptionIds: options,
  itemAttributes: Object.entries(ranges).map(([attributeId, [min, max]]) => ({ attributeId, min, max })),
});

const RARITIES = ['Common', 'Uncommon', 'Rare', 'Epic', 'Legendary'];

/** What the catalog was before the game opened: legendary items were found too often in a playtest. */
const BEFORE_PLAYTEST = CLASSIFIERS.map((classifier) => ({
  ...classifier,
  classifierOptions: classifier.classifierOptions.map((option) =>
    option.name === 'Legendary' ? { ...option, dropRateMultiplier: 0.02 } : option,
  ),
}));

/** Changes of odds come before the first players, so that the statistics of the demo match the odds it shows. */
const PUBLICATIONS: readonly Publication[] = [
  {
    ...{ daysAgo: 36, author: 'Build server', message: 'Attributes, classifiers and bags' },
    changes: () => [
      ...ATTRIBUTES.map((attribute) => wants('attribute', attribute)),
      ...BEFORE_PLAYTEST.map((classifier) => wants('classifier', classifier)),
      ...SPACES.map((space) => wants('space', space)),
    ],
  },
  ...RARITIES.map(
    (rarity, index): Publication => ({
      ...{ daysAgo: 35.9 - index / 100, author: 'Build server', message: `${rarity} items` },
      changes: () => ITEMS.filter(({ options }) => options[0] === rarity).map((item) => wants('item', itemOf(item))),
    }),
  ),
  ...TEMPLATES.map(
    (template, index): Publication => ({
      ...{ daysAgo: 35.5 - index / 100, author: 'Live operations', message: template.name },
      changes: () => [wants('template', template)],
    }),
  ),
  {
    ...{ daysAgo: 33.4, author: 'Item designer', message: 'Legendary items are 2.5 times as rare, after the playtest' },
    changes: (find) => {
      const rarity = find('classifier', 'rarity');
      const options = (rarity.classifierOptions as { name: string }[]).map((option) =>
        option.name === 'Legendary' ? { ...option, dropRateMultiplier: 0.008 } : option,
      );
      return [wants('classifier', { ...rarity, classifierOptions: options })];
    },
  },
  {
    ...{ daysAgo: 33.2, author: 'Live operations', message: 'The pack gives something rare after 20 packs' },
    changes: (find) => [withConfig(find('template', 'adventurers-pack'), { pityThreshold: 20 })],
  },
  {
    ...{ daysAgo: 33.1, author: 'Live operations', message: 'Back to 30 packs: 20 was too generous' },
    changes: (find) => [withConfig(find('template', 'adventurers-pack'), { pityThreshold: 30 })],
  },
  {
    ...{ daysAgo: 21.3, author: 'Item designer', message: 'Critical chance goes up to 60' },
    changes: (find) => [wants('attribute', { ...find('attribute', 'critical'), max: 60 })],
  },
  {
    ...{ daysAgo: 9.6, author: 'Build server', message: 'Names as in the latest translation' },
    changes: (find) => [wants('attribute', { ...find('attribute', 'ward'), name: 'Ward' })],
  },
];

const withConfig = (template: Entity, members: object) =>
  wants('template', { ...template, config: { ...(template.config as object), ...members } });

interface Listing {
  readonly sendAs: SendAs;
  readonly setClock: (nowMs: number) => void;
  readonly nowMs: number;
}

const finder = async (sendAs: SendAs) => {
  const document = (await sendAs('Build server', 'GET', '/catalog')) as Record<string, Entity[]>;
  return (kind: string, id: string): Entity => {
    const found = document[`${kind}s`]?.find((entity) => entity.id === id);
    if (found === undefined) throw new Error(`The demo has no ${kind} ${id}.`);
    return found;
  };
};

/** Publishes what happened from one time to another, as days before now. */
export const publishBetween = async ({ sendAs, setClock, nowMs }: Listing, from: number, to: number): Promise<void> => {
  for (const { daysAgo, author, message, changes } of PUBLICATIONS) {
    if (daysAgo > from || daysAgo <= to) continue;
    setClock(nowMs - daysAgo * DAY_MS);
    const [latest] = (await sendAs(author, 'GET', '/catalog/versions?limit=1')) as { version: number }[];
    const body = { changes: changes(await finder(sendAs)), baseVersion: latest?.version ?? 0, message };
    await sendAs(author, 'POST', '/catalog/publish', body);
  }
};

/** A draft that somebody is working on: it makes a banner out of an existing one, and changes the odds of others. */
export const createDraft = async ({ sendAs, setClock, nowMs }: Listing): Promise<void> => {
  setClock(nowMs - 0.1 * DAY_MS);
  const find = await finder(sendAs);
  const rarity = find('classifier', 'rarity');
  const banner = find('template', 'dawn-banner');
  const options = (rarity.classifierOptions as { name: string; dropRateMultiplier: number }[]).map((option) =>
    option.name === 'Epic' ? { ...option, dropRateMultiplier: 2 * option.dropRateMultiplier } : option,
  );
  const config = { ...(banner.config as object), featuredItemIds: ['eye-of-the-deep'], pityThreshold: 80 };
  await sendAs('Live operations', 'POST', '/catalog/drafts', {
    id: 'winter',
    name: 'Winter event',
    changes: [
      wants('classifier', { ...rarity, classifierOptions: options }),
      wants('template', { id: 'winter-banner', name: 'Banner of Winter', type: 'gacha', config }),
      withConfig(find('template', 'expedition'), { rollsPerHour: 0.75 }),
    ],
  });
};
