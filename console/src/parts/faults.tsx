import { type Issue, ItemwrightError } from '@itemwright/client';
import { Alert, List } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { asSentence, explain, partsOf, wordsOf } from '../api/client.ts';

/** Errors by field, and those that belong to no field. */
export interface Faults {
  readonly fields: Record<string, string>;
  readonly others: readonly string[];
}

/** `/body/itemAttributes/0/min` → `itemAttributes.0.min`, as forms name their fields. */
const bodyField = ({ path }: Issue): string | undefined => {
  const [, place, ...parts] = partsOf(path);
  return place === 'body' && parts.length > 0 ? parts.join('.') : undefined;
};

/** Assigns the issues of an error, if there is one, to the fields of a form. */
export const faultsOf = (
  error: unknown,
  isField: (field: string) => boolean = () => false,
  fieldOf: (issue: Issue) => string | undefined = bodyField,
): Faults => {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  if (error === null || error === undefined) return { fields, others };
  if (!(error instanceof ItemwrightError) || error.issues.length === 0) return { fields, others: [explain(error)] };
  for (const issue of error.issues) {
    const field = fieldOf(issue);
    if (field !== undefined && isField(field)) fields[field] ??= asSentence(issue.message);
    else others.push(asSentence(wordsOf(issue)));
  }
  return { fields, others };
};

/** An error with other issues in place of its own. */
export const withIssues = (error: unknown, change: (issue: Issue) => Issue): unknown =>
  error instanceof ItemwrightError && error.issues.length > 0
    ? new ItemwrightError(error.message, { status: error.status, issues: error.issues.map(change) })
    : error;

/** Errors that belong to no single field. */
export const FaultList = ({ faults, title = 'Could not save' }: { faults: readonly string[]; title?: string }) =>
  faults.length === 0 ? null : (
    <Alert color="red" icon={<IconAlertCircle />} title={title} role="alert">
      {faults.length === 1 ? (
        faults[0]
      ) : (
        <List size="sm">
          {faults.map((fault) => (
            <List.Item key={fault}>{fault}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
