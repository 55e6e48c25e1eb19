import { type Issue, ItemwrightError } from '@itemwright/client';
import { asSentence, explain, wordsOf } from '../../interface/api-error.ts';
import type { Faults } from '../../parts/field-errors.ts';
import type { TemplateValues, TierRate } from './template-values.ts';

/** The index of a tier in a table of rates. */
const rowOf = (rows: readonly TierRate[], tier: string | undefined): number =>
  rows.findIndex((row) => row.tier === tier);

/** Members of the configuration whose field has a different name. */
const RENAMED: Record<string, string> = { 'pool.classifierOptionIds': 'poolOptionIds', 'pool.itemIds': 'poolItemIds' };

/** The field of the form for a path in the configuration. */
const fieldOf = (path: string, values: TemplateValues): string | undefined => {
  const parts = path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (parts[1] !== 'body') return undefined;
  if (parts[2] !== 'config') return parts[2];
  const [member = '', ...rest] = parts.slice(3);
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
      return RENAMED[`pool.${rest[0]}`];
    case 'featuredItemIds':
      return member;
    default:
      return [member, ...rest].join('.');
  }
};

/** Assigns errors to their fields. Errors without a field are returned separately. */
export const templateFaults = (error: unknown, values: TemplateValues, isField: (field: string) => boolean): Faults => {
  if (!(error instanceof ItemwrightError)) return { fields: {}, others: error instanceof Error ? [error.message] : [] };
  if (error.issues.length === 0) return { fields: {}, others: [explain(error)] };
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const issue of error.issues as readonly Issue[]) {
    const field = fieldOf(issue.path, values);
    if (field !== undefined && isField(field)) fields[field] ??= asSentence(issue.message);
    else others.push(asSentence(wordsOf({ ...issue, path: issue.path.replace('/body/config', '/body') })));
  }
  return { fields, others };
};
