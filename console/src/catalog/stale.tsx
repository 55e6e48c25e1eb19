import { Alert, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { pathTo, Strong } from '../parts/text.tsx';
import type { StaleError } from './api.ts';
import { diffOf } from './diff.ts';
import { useChoice } from './draft.ts';
import type { Edit } from './edits.ts';
import { type Entity, isSame, type Kind } from './entities.ts';
import { FieldTable } from './entity-diff.tsx';
import { useNames } from './names.ts';

interface MeanwhileProps {
  readonly kind: Kind;
  readonly shown: Entity | null;
  readonly current: Entity | null;
  /** What was entered; undefined if nothing was. */
  readonly wanted?: Entity | null;
}

/** What changed meanwhile, next to what was entered, and what both changed. */
const Meanwhile = ({ kind, shown, current, wanted }: MeanwhileProps) => {
  const involved = useMemo(
    () => [
      { kind, before: shown, after: current },
      { kind, before: null, after: wanted ?? null },
    ],
    [kind, shown, current, wanted],
  );
  const names = useNames(involved);
  const theirs = diffOf(kind, shown, current, names);
  const mine = wanted === undefined ? [] : diffOf(kind, shown, wanted, names);
  const changed = new Map(theirs.map(({ key, after }) => [key, after]));
  const both = mine.filter(({ key, after }) => changed.has(key) && changed.get(key) !== after);
  return (
    <Stack gap="sm">
      <Title order={3}>Changed in the meantime</Title>
      {current === null ? (
        <Text size="sm">It was deleted.</Text>
      ) : (
        <FieldTable label="Changed in the meantime" fields={theirs} />
      )}
      {wanted !== undefined && (
        <>
          <Title order={3}>Your change</Title>
          {wanted === null ? (
            <Text size="sm">You wanted to delete it.</Text>
          ) : (
            <FieldTable label="Your change" fields={mine} />
          )}
        </>
      )}
      {both.length > 0 && (
        <Strong>Both changed {both.map(({ label }) => label).join(', ')}: if you reapply, your value wins.</Strong>
      )}
    </Stack>
  );
};

interface StaleDialogProps {
  readonly edit: Edit;
  readonly error: StaleError;
  readonly onAnswer: (isReapplied: boolean) => void;
}

/** Says that a page was out of date, shows what changed, and offers to reapply what was entered. */
export const StaleDialog = ({ edit, error, onAnswer }: StaleDialogProps) => {
  const choice = useChoice();
  const [, navigate] = useLocation();
  const seeDraft = (id: string) => {
    onAnswer(false);
    navigate(pathTo('drafts', id));
  };
  const name = error.current?.name ?? error.shown?.name ?? edit.after?.name ?? edit.id;
  return (
    <Modal opened onClose={() => onAnswer(false)} title={`${name} has changed`} size="lg" closeOnClickOutside={false}>
      <Stack gap="lg">
        <Alert color="yellow" icon={<IconUsers />} role="alert">
          {error.message}
        </Alert>
        <Meanwhile kind={edit.kind} shown={error.shown} current={error.current} wanted={edit.after} />
        <Group justify="flex-end" gap="sm">
          {choice.to === 'draft' && (
            <Button variant="subtle" onClick={() => seeDraft(choice.id)}>
              See the draft
            </Button>
          )}
          <Button variant="default" onClick={() => onAnswer(false)} data-autofocus>
            Discard my change
          </Button>
          <Button onClick={() => onAnswer(true)}>Reapply my change</Button>
        </Group>
      </Stack>
    </Modal>
  );
};

interface StaleNoticeProps {
  readonly kind: Kind;
  /** What the form began with; null if it is new. */
  readonly shown: Entity | null;
  /** What it is now. */
  readonly current: Entity | null;
  /** What was entered; undefined if nothing was. */
  readonly wanted: Entity | undefined;
  /** Whether it is being saved: then it is this very form that changes it. */
  readonly isSaving: boolean;
  readonly onReapply: () => void;
  readonly onDiscard: () => void;
}

/** Says that what a form began with has changed, before it is saved. A form that nobody has touched just follows. */
export const StaleNotice = (props: StaleNoticeProps) => {
  const { kind, shown, current, wanted, isSaving, onReapply, onDiscard } = props;
  const isStale = !isSaving && shown !== null && !isSame(shown, current);
  const isUntouched = isStale && wanted === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once for each change.
  useEffect(() => {
    if (isUntouched) onDiscard();
  }, [isUntouched]);
  if (!isStale || wanted === undefined) return null;
  return (
    <Alert color="yellow" icon={<IconUsers />} title="This has changed in the meantime" role="alert">
      <Stack gap="sm">
        <Meanwhile kind={kind} shown={shown} current={current} wanted={wanted} />
        <Group gap="sm">
          <Button size="xs" onClick={onReapply}>
            Reapply my change
          </Button>
          <Button size="xs" variant="default" onClick={onDiscard}>
            Discard my change
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
};
