import { TextInput, type TextInputProps } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useDeferred } from './deferred.ts';
import { type Limits, numberFault, parseNumber } from './number-text.ts';

type Field = Omit<TextInputProps, keyof Limits | 'value' | 'defaultValue' | 'onChange'>;

export interface NumberFieldProps extends Limits, Field {
  /** A text is what was typed and is no number; an empty one means that the field is empty. */
  readonly value?: number | string;
  /** Whether the words of an error are shown by something else than the field. */
  readonly isFaultElsewhere?: boolean;
  readonly onChange: (value: number | string) => void;
  readonly prefix?: string;
  readonly suffix?: string;
}

const typedValue = (text: string): number | string => (text.trim() === '' ? '' : (parseNumber(text) ?? text));

const section = (text: string | undefined, side: 'left' | 'right') =>
  text === undefined
    ? {}
    : {
        [`${side}Section`]: <span aria-hidden>{text}</span>,
        [`${side}SectionWidth`]: `calc(${text.length * 0.58}em + 18px)`,
        [`${side}SectionProps`]: {
          style: { color: 'var(--mantine-color-dimmed)', fontSize: 'var(--mantine-font-size-sm)' },
        },
      };

/**
 * A number, as text: what was typed stays as it was typed, and if it is no number, or out of range, the field says what
 * would be. A form with such a field is not valid (`isFormValid`).
 */
export const NumberField = (props: NumberFieldProps) => {
  const { value = '', onChange, min, max, isWhole, prefix, suffix, error, isFaultElsewhere = false, ...rest } = props;
  const [text, setText] = useState(String(value));
  const input = useRef<HTMLInputElement>(null);
  // A value that was not typed here, such as after a save, replaces what was.
  const shown = typedValue(text) === value ? text : String(value);
  const fault = numberFault(value, { min, max, isWhole });
  useEffect(() => input.current?.setCustomValidity(fault ?? ''), [fault]);
  const type = (typed: string) => {
    setText(typed);
    onChange(typedValue(typed));
  };
  const step = (event: KeyboardEvent<HTMLInputElement>) => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (by === 0 || props.disabled || typeof value !== 'number' || !Number.isInteger(value)) return;
    event.preventDefault();
    if (numberFault(value + by, { min, max, isWhole }) === undefined) type(String(value + by));
  };
  return (
    <TextInput
      {...section(prefix, 'left')}
      {...section(suffix, 'right')}
      inputMode="decimal"
      autoComplete="off"
      {...rest}
      onKeyDown={(event) => {
        rest.onKeyDown?.(event);
        step(event);
      }}
      ref={input}
      value={shown}
      onChange={(event) => type(event.currentTarget.value)}
      error={isFaultElsewhere ? fault !== undefined || Boolean(error) : (fault ?? error)}
    />
  );
};

/** A number in a long form. */
export const DeferredNumber = ({ value = '', onChange, ...rest }: NumberFieldProps) => (
  <NumberField {...rest} {...useDeferred(value, onChange)} />
);

/** Marks fields within a form that are not saved with it. */
export const APART = { 'data-apart': true };

/** Whether all numbers of a form are valid; otherwise the first that is not gets the focus. */
export const isFormValid = (form: HTMLFormElement): boolean => {
  const invalid = [...form.querySelectorAll<HTMLInputElement>('input:invalid')];
  const first = invalid.find((input) => input.closest('[data-apart]') === null);
  first?.focus();
  return first === undefined;
};
