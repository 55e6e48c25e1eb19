import { type ReactNode, useEffect, useSyncExternalStore } from 'react';

/** Questions that come up while something is saved, wherever that was started. Only one is open at a time. */

interface Question {
  readonly number: number;
  readonly content: ReactNode;
}

let asked = 0;
let current: Question | undefined;
const listeners = new Set<() => void>();

const show = (question: Question | undefined): void => {
  current = question;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const useQuestion = (): Question | undefined => useSyncExternalStore(subscribe, () => current);

/** Shows a dialog until it is answered. */
export const ask = <T,>(dialog: (answer: (value: T) => void) => ReactNode): Promise<T> =>
  new Promise((resolve) => {
    asked += 1;
    const answer = (value: T): void => {
      show(undefined);
      resolve(value);
    };
    show({ number: asked, content: dialog(answer) });
  });

/** Whether a question is open, on top of whatever dialog asked it. */
export const useIsAsked = (): boolean => useQuestion() !== undefined;

/** The open question. Inside the router, so that dialogs can contain links. */
export const Questions = () => {
  const question = useQuestion();
  useEffect(() => () => show(undefined), []);
  return question === undefined ? null : <div key={question.number}>{question.content}</div>;
};

/** What is thrown if the answer is not to save. The page need not say anything about it. */
export class Cancelled extends Error {
  /** Whether what was entered is given up, not just not saved yet. */
  readonly isDiscarded: boolean;

  constructor(isDiscarded = false) {
    super('Cancelled');
    this.isDiscarded = isDiscarded;
  }
}
