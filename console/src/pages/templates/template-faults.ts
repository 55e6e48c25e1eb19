import type { Issue } from '@itemwright/client';
import { partsOf } from '../../interface/api-error.ts';
import { type Faults, faultsOf, withIssues } from '../../parts/field-errors.ts';
import type { TemplateValues, TierRate } from './template-values.ts';

/** The index of a tier in a table of rates. */
const rowOf = (rows: readonly TierRate[], tier: string | undefined): number =>
  rows.findIndex((row) => row.tier === tier);

/** Members of the configuration whose field has a different name. */
const RENAMED: Record<string, string> = { classifierOptionIds: 'poolOptionIds', itemIds: 'poolItemIds' };

/** The field of the form for a member of the template or of its configuration. */
const fieldOf = ({ path }: Issue, values: TemplateValues): string | undefined => {
  const [, place, member = '', ...rest] = partsOf(path);
  if (place !== 'body') return undefined;
  switch (member) {
    case 'baseRates':
    case 'depthScaling': {
      const list = member === 'baseRates' ? 'tiers' : 'depthScaling';
      const row = rowOf(values[list], rest[0]);
      return row < 0 ? list : `${list}.${row}.rate`;
    }
    case 'slots': {
      const slot = values.slots[Number(rest[0])];
      const row = rest[1] === 'rates' && slot !== undefined ? rowOf(slot.rates, rest[2]) : -1;
      if (row >= 0) return `slots.${rest[0]}.rates.${row}.rate`;
      return ['slots', ...rest.slice(0, 2)].join('.');
    }
    case 'pool':
      return RENAMED[rest[0] ?? ''];
    case 'featuredItemIds':
      return member;
    default:
      return [member, ...rest].join('.');
  }
};

/** Assigns errors to their fields. Errors without a field are returned separately. */
export const templateFaults = (error: unknown, values: TemplateValues, isField: (field: string) => boolean): Faults =>
  faultsOf(
    withIssues(error, ({ path, message }) => ({ path: path.replace('/body/config', '/body'), message })),
    isField,
    (issue) => fieldOf(issue, values),
  );
