import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';

const PAUSE_MS = 200;

/**
 * What is typed into a field of a long form, which is told of it when typing pauses, when the field is left, and before
 * Enter submits the form: drawing the whole form takes longer than a key.
 */
export const useDeferred = <T>(value: T, onChange: (value: T) => void) => {
  const [typed, setTyped] = useState<{ readonly value: T }>();
  const latest = useRef({ onChange, typed });
  latest.current = { onChange, typed };
  const flush = (): void => {
    const { typed: last, onChange: tell } = latest.current;
    if (last === undefined) return;
    latest.current.typed = undefined;
    setTyped(undefined);
    tell(last.value);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again with every key.
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(flush, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return {
    value: typed === undefined ? value : typed.value,
    onChange: (next: T) => setTyped({ value: next }),
    onBlur: (_event?: FocusEvent) => flush(),
    onKeyDown: ({ key }: KeyboardEvent) => key === 'Enter' && flush(),
  };
};
