import { Loader, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { explain } from '../api/client.ts';
import { Cancelled } from '../catalog/questions.tsx';
import classes from './in-place.module.css';
import { NumberField } from './number-field.tsx';
import { numberFault } from './number-text.ts';

/** A field that saves on blur or Enter; Escape, or an error, restores the old value. */
const useInPlace = <T, D>(value: T, show: (value: T) => D, onSave: (value: T) => Promise<unknown>) => {
  const [draft, setDraft] = useState(() => show(value));
  const [isSaving, setSaving] = useState(false);
  const [fault, setFault] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new value from the service replaces the draft.
  useEffect(() => setDraft(show(value)), [value]);
  const reset = () => setDraft(show(value));
  const save = async (changed: T) => {
    setFault(undefined);
    if (changed === value) return reset();
    setSaving(true);
    try {
      await onSave(changed);
    } catch (error) {
      if (!(error instanceof Cancelled)) setFault(explain(error));
      reset();
    } finally {
      setSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') event.currentTarget.blur();
    if (event.key === 'Escape') reset();
  };
  const reject = (reason: string) => {
    setFault(reason);
    reset();
  };
  const input = {
    value: draft,
    error: fault,
    readOnly: isSaving,
    rightSection: isSaving ? <Loader size="xs" /> : undefined,
    onKeyDown,
  };
  return { draft, setDraft, save, reset, reject, input };
};

interface InPlaceTextProps {
  readonly label: string;
  readonly value: string;
  readonly isHeading?: boolean;
  readonly onSave: (value: string) => Promise<unknown>;
}

export const InPlaceText = ({ label, value, isHeading = false, onSave }: InPlaceTextProps) => {
  const { draft, setDraft, save, reset, input } = useInPlace(value, String, onSave);
  return (
    <TextInput
      aria-label={label}
      variant="unstyled"
      flex={1}
      classNames={{ input: classes.text }}
      data-heading={isHeading || undefined}
      onChange={(event) => setDraft(event.currentTarget.value)}
      {...input}
      onBlur={() => (draft.trim() === '' ? reset() : save(draft.trim()))}
    />
  );
};

const MULTIPLIERS = { min: 0 };

interface InPlaceNumberProps {
  readonly label: string;
  /** Null is the same as 1. */
  readonly value: number | null;
  readonly onSave: (value: number | null) => Promise<unknown>;
}

export const InPlaceNumber = ({ label, value, onSave }: InPlaceNumberProps) => {
  const show = (number: number | null): number | string => number ?? '';
  const { draft, setDraft, save, reset, reject, input } = useInPlace(value, show, onSave);
  const leave = () => {
    if (draft === show(value)) reset();
    // An empty field must not count as 1.
    else if (draft === '') reject('Enter a number');
    // What is no number stays as it was typed, and the field says what would be.
    else if (numberFault(draft, MULTIPLIERS) === undefined) save(Number(draft));
  };
  return (
    <NumberField
      aria-label={label}
      size="xs"
      prefix="×"
      placeholder="1"
      {...MULTIPLIERS}
      onChange={setDraft}
      {...input}
      onBlur={leave}
    />
  );
};
