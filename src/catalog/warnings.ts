import type { CompiledTemplate } from '../engine/systems/templates.ts';
import type { Issue } from '../shared/errors.ts';
import { type EntityChange, fieldsOf } from './change.ts';
import type { ClassifierEntity, TemplateEntity } from './entities.ts';
import type { Findings } from './findings.ts';
import type { CheckedChange, CompiledCatalogs, CompiledTemplates } from './rules.ts';

type Soft = readonly { readonly from: number }[];

interface AdvisedConfig {
  readonly pityThreshold?: number;
  readonly softPity?: Soft;
  readonly pities?: readonly { readonly tier: string; readonly threshold: number; readonly softPity?: Soft }[];
  readonly featuredShare?: number;
}

const pityAdvice = ({ pityThreshold = 0, softPity, pities = [] }: AdvisedConfig): Issue[] => {
  const check = (threshold: number, [first]: Soft = [], path: string): Issue[] =>
    first !== undefined && threshold > 0 && threshold < first.from
      ? [
          {
            path,
            message: `the soft pity starts at roll ${first.from}, but the hard pity of ${threshold} comes before it`,
          },
        ]
      : [];
  return [
    ...check(pityThreshold, softPity, '/softPity'),
    ...pities.flatMap((pity, index) => check(pity.threshold, pity.softPity, `/pities/${index}/softPity`)),
  ];
};

/** A featured share means something only if the tier also has items that are not featured. */
const featuredAdvice = ({ featuredShare }: AdvisedConfig, { tiers }: CompiledTemplate): Issue[] => {
  const top = tiers.all[tiers.top];
  const rollable = top?.items.filter(({ weight }) => weight > 0) ?? [];
  if (featuredShare === undefined || featuredShare === 1 || rollable.length === 0) return [];
  if (rollable.some(({ id }) => !tiers.featured.has(id))) return [];
  const where = top?.name == null ? 'in the pool' : `of the tier ${top.name}`;
  const share = Number((featuredShare * 100).toPrecision(6));
  return [
    {
      path: '/featuredShare',
      message: `every item ${where} is featured, so there is nothing that the ${share} % could be lost to`,
    },
  ];
};

const tierAdvice = ({ tiers }: CompiledTemplate): Issue[] =>
  tiers.all.flatMap(({ items, key, name }) =>
    items.length === 0 && key !== null ? [{ path: `/baseRates/${key}`, message: `no item has the tier ${name}` }] : [],
  );

/** What a designer should think about in a configuration that is valid. */
export const adviceOn = ({ config }: { readonly config: object }, template: CompiledTemplate): Issue[] => [
  ...pityAdvice(config),
  ...featuredAdvice(config, template),
  ...tierAdvice(template),
];

/** Names that stand for several options cannot stand for a tier. */
const warnAboutNames = (changes: CheckedChange['changes'], warnings: Findings): void => {
  for (const { kind, after } of changes) {
    if (kind !== 'classifier' || after === null) continue;
    const { id, name, classifierOptions } = after as ClassifierEntity;
    const names = classifierOptions.map((option) => option.name);
    for (const repeated of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
      warnings.add('classifier', id, '/classifierOptions', `${name} has several options named ${repeated}`);
  }
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
  warnAboutNames(changes, warnings);
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
    if (old !== null && next.verifiable && !old.verifiable)
      warnings.add(
        'template',
        id,
        '/verifiable',
        `rolls on ${next.name} will be refused for players who have not chosen a client seed`,
      );
    if (old !== null && !fieldsOf(change).includes('config')) continue;
    const template = templates.after(id);
    const advice = template === null ? pityAdvice(next.config) : adviceOn(next, template);
    for (const { path, message } of advice) warnings.add('template', id, `/config${path}`, message);
  }
};
