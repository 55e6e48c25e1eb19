import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Cancelled, useIsAsked } from '../catalog/questions.tsx';
import { FaultList, faultsOf } from './faults.tsx';
import { isFormValid } from './number-field.tsx';

/** Whether a form has a field of this name, such as `classifierOptions.0.name`. */
const hasField = (values: object, field: string): boolean =>
  field
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], values) !==
  undefined;

interface FormDialogProps<V extends Record<string, unknown>, R> {
  readonly title: string;
  /** Label of the submit button. */
  readonly action: string;
  /** Whether something is lost by it. */
  readonly isHarmful?: boolean;
  /** Title of errors that belong to no field. */
  readonly failed?: string;
  readonly form: UseFormReturnType<V>;
  readonly change: UseMutationResult<R, Error, V>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A form in a dialog, which closes when the service accepts it. A click outside does not close it, so that no input is
 * lost by accident.
 */
export const FormDialog = <V extends Record<string, unknown>, R>(props: FormDialogProps<V, R>) => {
  const { title, action, isHarmful = false, failed, form, change, onClose, children } = props;
  const [otherFaults, setOtherFaults] = useState<readonly string[]>([]);
  const isAsked = useIsAsked();
  const submitValid = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: onClose,
      onError: (error) => {
        if (error instanceof Cancelled) {
          if (error.isDiscarded) onClose();
          return;
        }
        const { fields, others } = faultsOf(error, (field) => hasField(values, field));
        form.setErrors(fields);
        setOtherFaults(others);
      },
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (isFormValid(event.currentTarget)) submitValid(event);
    else event.preventDefault();
  };
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false} closeOnEscape={!isAsked}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <FaultList faults={otherFaults} title={failed} />
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color={isHarmful ? 'red' : undefined} loading={change.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};
