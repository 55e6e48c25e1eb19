import type { FrozenTexts } from '../../compute/evidence.ts';
import type { Reader } from '../../database/work.ts';
import { NOTHING_FROZEN } from '../../engine/evidence/starts.ts';
import * as store from './frozen-days.store.ts';
import { type ObservedDay, readObserved } from './roll-evidence.service.ts';

/** The rolls on one configuration of a template. An empty template id stands for rolls without one. */
export interface Stream {
  readonly templateId: string;
  readonly config: string;
  /** The versions of the catalog that its rolls may be recorded under. */
  readonly versions: ReadonlySet<number>;
}

/** All that was ever observed of a stream. */
export interface ObservedStream {
  /** Undefined if nothing was observed. */
  readonly firstDay: string | undefined;
  readonly rolls: number;
  /** Of days that are no longer kept one by one. */
  readonly frozen: FrozenTexts;
  readonly days: readonly ObservedDay[];
}

/** Reads what was observed of a stream, including what is not added up yet if asked for. */
export const readStream = async (
  reader: Reader,
  { templateId, config, versions }: Stream,
  options: { readonly withPending: boolean },
): Promise<ObservedStream> => {
  const [row] = await reader.find(store.frozenOf, { templateId, config });
  const all = await readObserved(reader, { templateId, versions }, options);
  const until = row?.until ?? '';
  // What comes in late belongs to everything, but begins nothing: its day has been frozen.
  const late = all.filter(({ day }) => day < until).flatMap(({ texts }) => texts);
  return {
    firstDay: row?.since ?? all[0]?.day,
    rolls: all.reduce((sum, { rolls }) => sum + rolls, row?.rolls ?? 0),
    frozen: {
      starts: row === undefined ? NOTHING_FROZEN : { count: row.days, log: row.evidence ?? NOTHING_FROZEN.log },
      texts: row === undefined ? [] : [row.counts, ...late],
    },
    days: all.filter(({ day }) => day >= until),
  };
};

/** Everything that was observed, in no order. */
export const textsOf = ({ frozen, days }: ObservedStream): string[] => [
  ...frozen.texts,
  ...days.flatMap(({ texts }) => texts),
];
