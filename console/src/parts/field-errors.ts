import { type Issue, ItemwrightError } from '@itemwright/client';
import { asSentence, explain, wordsOf } from '../interface/api-error.ts';

/** Errors by field, and those that belong to no field. */
export interface Faults {
  readonly fields: Record<string, string>;
  readonly others: readonly string[];
}

/** `/body/itemAttributes/0/min` → `itemAttributes.0.min`, as forms name their fields. */
const fieldOf = ({ path }: Issue): string | undefined =>
  /^\/body\/(.+)$/.exec(path)?.[1]?.split('/').join('.').replaceAll('~1', '/').replaceAll('~0', '~');

/** Assigns the issues of an error to the fields of a form. */
export const faultsOf = (error: unknown, isField: (field: string) => boolean): Faults => {
  if (!(error instanceof ItemwrightError) || error.issues.length === 0) return { fields: {}, others: [explain(error)] };
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const issue of error.issues) {
    const field = fieldOf(issue);
    if (field !== undefined && isField(field)) fields[field] ??= asSentence(issue.message);
    else others.push(asSentence(wordsOf(issue)));
  }
  return { fields, others };
};
