import { useEffect } from 'react';
import { confirmLoss } from './confirm.tsx';

/** The page that holds changes which were not saved. One editor is open at a time, so one word for all will do. */
let unsavedAt: string | undefined;

/** Called when changes are saved, before the page is left because of it. */
export const forgetUnsaved = (): void => {
  unsavedAt = undefined;
};

/** Goes on at once, or after asking where changes would be lost. */
export const leaveSafely = (leave: () => void): void => {
  if (unsavedAt === undefined) {
    leave();
    return;
  }
  confirmLoss({
    title: 'Leave without saving?',
    text: 'What you changed here is not saved, and would be lost.',
    action: 'Leave',
    keep: 'Stay',
    run: () => {
      forgetUnsaved();
      leave();
    },
  });
};

window.addEventListener('beforeunload', (event) => {
  if (unsavedAt !== undefined) event.preventDefault();
});

// By now the browser has gone back. It is brought here again before the router, which listens later, takes notice; and it
// goes if that is wanted.
window.addEventListener('popstate', (event) => {
  if (unsavedAt === undefined || window.location.href === unsavedAt) return;
  event.stopImmediatePropagation();
  window.history.pushState(null, '', unsavedAt);
  leaveSafely(() => window.history.back());
});

/** Asks before changes are lost: by a link, by going back, by closing or reloading the tab. */
export const useUnsaved = (isDirty: boolean): void => {
  useEffect(() => {
    if (!isDirty) return;
    unsavedAt = window.location.href;
    return forgetUnsaved;
  }, [isDirty]);
};
