import { type EntityChange, fieldsOf } from './change.ts';
import type { TemplateEntity } from './entities.ts';
import type { Findings } from './findings.ts';
import type { CheckedChange, CompiledCatalogs, CompiledTemplates } from './rules.ts';

interface PityConfig {
  readonly pityThreshold?: number;
  readonly softPity?: readonly { readonly from: number }[];
  readonly pities?: readonly {
    readonly tier: string;
    readonly threshold: number;
    readonly softPity?: readonly { readonly from: number }[];
  }[];
}

const warnAboutPity = ({ id, config }: TemplateEntity, warnings: Findings): void => {
  const { pityThreshold = 0, softPity, pities = [] } = config as PityConfig;
  const check = (threshold: number, segments: PityConfig['softPity'], path: string): void => {
    const from = segments?.[0]?.from;
    if (from !== undefined && threshold > 0 && threshold < from)
      warnings.add(
        'template',
        id,
        path,
        `the soft pity starts at roll ${from}, but the hard pity of ${threshold} comes before it`,
      );
  };
  check(pityThreshold, softPity, '/config/softPity');
  for (const [index, pity] of pities.entries())
    check(pity.threshold, pity.softPity, `/config/pities/${index}/softPity`);
};

/** What a designer should think about before publishing, as far as the catalog itself can tell. */
export const findWarnings = (
  { base, changes }: CheckedChange,
  { before, after }: CompiledCatalogs,
  templates: CompiledTemplates,
  warnings: Findings,
): void => {
  for (const item of after.items) {
    if (item.weight > 0) continue;
    const known = base.item.has(item.id) ? before().itemsById.get(item.id) : undefined;
    if (known === undefined || known.weight > 0)
      warnings.add('item', item.id, '/rollNumerator', `${item.name} can never drop: its weight is 0`);
  }
  for (const change of changes) {
    if (change.kind !== 'template') continue;
    const {
      id,
      before: old,
      after: next,
    } = change as EntityChange & {
      before: TemplateEntity | null;
      after: TemplateEntity | null;
    };
    if (next === null) continue;
    if (old !== null && old.type !== next.type)
      warnings.add('template', id, '/type', `${next.name} becomes another game system: users lose their counters`);
    if (old !== null && !fieldsOf(change).includes('config')) continue;
    warnAboutPity(next, warnings);
    for (const tier of templates.after(id)?.tiers.all ?? [])
      if (tier.items.length === 0 && tier.key !== null)
        warnings.add('template', id, `/config/baseRates/${tier.key}`, `no item has the tier ${tier.name}`);
  }
};
