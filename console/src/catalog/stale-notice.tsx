import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useEffect } from 'react';
import { type Entity, isSame, type Kind } from './entities.ts';
import { Meanwhile } from './stale-dialog.tsx';

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
