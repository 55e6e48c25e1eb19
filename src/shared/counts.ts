/** How often each item was rolled. */
export type ItemCounts = Map<string, number>;

export const addCount = (counts: ItemCounts, itemId: string, count: number): void => {
  counts.set(itemId, (counts.get(itemId) ?? 0) + count);
};

/** Counts are stored as a flat array of alternating items and counts: the fastest to parse if there are many. */
export const textOfCounts = (counts: ItemCounts): string => JSON.stringify([...counts].flat());

/** How often each outcome was observed, by class. */
interface SeenCounts {
  observe(kind: string, outcome: string): void;
  /** Adds what a text lists. Of a class that is new, nothing is added if there are `most` classes already. */
  add(text: string, most?: number): void;
  /** A flat list of class, outcome and count. */
  text(): string;
}

export const createSeenCounts = (): SeenCounts => {
  const classes = new Map<string, Map<string, number>>();
  const addTo = (kind: string, outcome: string, count: number, most: number): void => {
    let outcomes = classes.get(kind);
    if (outcomes === undefined) {
      if (classes.size >= most) return;
      outcomes = new Map();
      classes.set(kind, outcomes);
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
  };
  return {
    observe: (kind, outcome) => addTo(kind, outcome, 1, Number.POSITIVE_INFINITY),
    add: (text, most = Number.POSITIVE_INFINITY) => {
      const list = JSON.parse(text) as (string | number)[];
      for (let index = 0; index < list.length; index += 3)
        addTo(list[index] as string, list[index + 1] as string, list[index + 2] as number, most);
    },
    text: () => {
      const list: (string | number)[] = [];
      for (const [kind, outcomes] of classes) for (const [outcome, count] of outcomes) list.push(kind, outcome, count);
      return JSON.stringify(list);
    },
  };
};
