import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Api } from '../api/client.ts';
import { useChange } from '../api/requests.ts';
import { FormDialog } from './form-dialog.tsx';
import { because, ReasonField, validReason } from './reason.tsx';

interface ReasonDialogProps {
  readonly title: string;
  /** What will happen. */
  readonly text: ReactNode;
  readonly action: string;
  readonly isHarmful?: boolean;
  readonly done: string;
  readonly run: (api: Api, options: ReturnType<typeof because>) => Promise<unknown>;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** Asks for a reason before something is done, which is also the question whether it should be. */
export const ReasonDialog = (props: ReasonDialogProps) => {
  const { title, text, action, isHarmful, done, run, onDone, onClose } = props;
  const form = useForm({ initialValues: { reason: '' }, validate: { reason: validReason } });
  const change = useChange({
    run: async (api, { reason }: { reason: string }) => {
      await run(api, because(reason));
      onDone?.();
    },
    done: () => done,
  });
  return (
    <FormDialog
      title={title}
      action={action}
      isHarmful={isHarmful}
      failed="Could not do it"
      form={form}
      change={change}
      onClose={onClose}
    >
      <Text size="sm">{text}</Text>
      <ReasonField form={form} data-autofocus />
    </FormDialog>
  );
};
