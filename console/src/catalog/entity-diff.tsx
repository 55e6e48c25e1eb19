import { Badge, Group, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFirst } from '../parts/buttons.tsx';
import { NameLink, Note, Strong } from '../parts/text.tsx';
import type { Change } from './api.ts';
import { diffOf, type FieldDiff, type Names } from './diff.ts';
import { KINDS, keyOf, pathOfEntity } from './entities.ts';
import classes from './entity-diff.module.css';

const FIELDS_AT_FIRST = 10;

const ACTIONS = {
  create: { label: 'new', colour: 'green' },
  update: { label: 'changed', colour: 'blue' },
  delete: { label: 'deleted', colour: 'red' },
} as const;

/** The fields of an entity that differ. What goes is struck through, for those who see no colours. */
export const FieldTable = ({ label, fields }: { label: string; fields: readonly FieldDiff[] }) => {
  const { shown, button } = useFirst(fields, FIELDS_AT_FIRST, 'fields');
  if (fields.length === 0) return <Note>Only what the service keeps by itself.</Note>;
  return (
    <>
      <Table verticalSpacing={3} horizontalSpacing={6} fz="sm" layout="fixed" aria-label={label}>
        <Table.Tbody>
          {shown.map(({ key, label: name, before, after }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" w="34%" fw={500} className={classes.name}>
                {name}
              </Table.Th>
              <Table.Td className={classes.values}>
                {before !== undefined && <del className={classes.before}>{before}</del>}
                {before !== undefined && after !== undefined && ' → '}
                {after !== undefined && <ins className={classes.after}>{after}</ins>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {button}
    </>
  );
};

/** What happens to one entity. */
const EntityChange = ({ change, names, action }: { change: Change; names: Names; action?: ReactNode }) => {
  const { kind, id, before, after } = change;
  const name = after?.name ?? before?.name ?? id;
  const { label, colour } = ACTIONS[change.action];
  return (
    <Stack gap={4} component="section" aria-label={`Change of ${name}`}>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="xs">
          {change.action === 'delete' ? (
            <Strong>{name}</Strong>
          ) : (
            <NameLink href={pathOfEntity(kind, id)}>{name}</NameLink>
          )}
          <Badge variant="dot" color={colour}>
            {kind} {label}
          </Badge>
        </Group>
        {action}
      </Group>
      {change.action !== 'delete' && (
        <FieldTable label={`Fields of ${name}`} fields={diffOf(kind, before, after, names)} />
      )}
    </Stack>
  );
};

interface ChangeListProps {
  readonly changes: readonly Change[];
  readonly names: Names;
  /** Something to do about each change. */
  readonly actionOf?: (change: Change) => ReactNode;
}

const CHANGES_AT_FIRST = 30;

/** Changes in order of their kinds, each entity with its fields. */
export const ChangeList = ({ changes, names, actionOf }: ChangeListProps) => {
  const sorted = changes.toSorted((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  const { shown, button } = useFirst(sorted, CHANGES_AT_FIRST, 'changes', { variant: 'default', size: 'xs' });
  return (
    <Stack gap="lg">
      {shown.map((change) => (
        <EntityChange key={keyOf(change)} change={change} names={names} action={actionOf?.(change)} />
      ))}
      {button}
    </Stack>
  );
};
