import { TextInput, type TextInputProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';

const LENGTH = 200;

/** Options of a request that gives a reason, which the history keeps. Headers must be ASCII. */
export const because = (reason: string) => ({ headers: { 'itemwright-reason': encodeURIComponent(reason.trim()) } });

/** Whether a reason was given. */
export const validReason = (reason: string): string | null => (reason.trim() === '' ? 'Say why' : null);

interface ReasonFieldProps extends Omit<TextInputProps, 'form'> {
  // biome-ignore lint/suspicious/noExplicitAny: forms of any values that have a reason.
  readonly form: UseFormReturnType<any>;
}

/** Why something is done to a player. */
export const ReasonField = ({ form, ...rest }: ReasonFieldProps) => (
  <TextInput
    label="Reason"
    description="The history keeps it, with the name of your secret."
    placeholder="such as a ticket number"
    withAsterisk
    maxLength={LENGTH}
    {...rest}
    {...form.getInputProps('reason')}
  />
);
