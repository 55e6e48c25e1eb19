import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

interface Confirmation {
  readonly title: string;
  readonly text: ReactNode;
  /** Label of the confirm button. */
  readonly action: string;
  /** Label of the cancel button. */
  readonly keep?: string;
  readonly run: () => void;
}

/** Asks before something is lost. The cancel button has the focus. */
export const confirmLoss = ({ title, text, action, keep = 'Keep it', run }: Confirmation): void => {
  modals.openConfirmModal({
    title: (
      <Text component="span" fw={650}>
        {title}
      </Text>
    ),
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: action, cancel: keep },
    confirmProps: { color: 'red' },
    cancelProps: { 'data-autofocus': true },
    onConfirm: run,
  });
};
