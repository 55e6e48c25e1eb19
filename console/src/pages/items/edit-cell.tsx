import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import classes from './items.module.css';

/** Shown where the text is next to it. */
export const PENCIL = '✎';

interface EditCellProps {
  /** What is edited, for those who cannot see the row and the column. */
  readonly label: string;
  readonly text: string;
  /** What the field begins with, if it is not what is shown. */
  readonly value?: string;
  /** What is wrong with what was typed. */
  readonly faultOf?: (typed: string) => string | undefined;
  readonly onSave: (typed: string) => Promise<unknown>;
}

/** A cell that becomes a field when it is clicked. Enter or leaving saves, Escape does not. */
export const EditCell = ({ label, text, value = text, faultOf, onSave }: EditCellProps) => {
  const [typed, setTyped] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const isOpen = typed !== undefined;
  useEffect(() => {
    if (isOpen) input.current?.select();
  }, [isOpen]);
  if (typed === undefined)
    return (
      <button
        type="button"
        className={classes.edit}
        aria-label={text === PENCIL ? `Edit ${label}` : `Edit ${label}: ${text}`}
        onClick={() => setTyped(value)}
      >
        {text}
      </button>
    );
  const fault = faultOf?.(typed);
  const save = async () => {
    if (isSaving) return;
    if (typed === value || fault !== undefined) return setTyped(undefined);
    setSaving(true);
    // Whoever saves says what went wrong.
    await onSave(typed).catch(() => undefined);
    setSaving(false);
    setTyped(undefined);
  };
  const press = ({ key }: KeyboardEvent) => {
    if (key === 'Enter' && fault === undefined) void save();
    if (key === 'Escape') setTyped(undefined);
  };
  return (
    <input
      ref={input}
      className={classes.field}
      aria-label={label}
      aria-invalid={fault !== undefined}
      title={fault}
      value={typed}
      readOnly={isSaving}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={press}
      onBlur={() => void save()}
    />
  );
};
