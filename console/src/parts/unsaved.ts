import { useEffect } from 'react';
import { confirmLoss } from './confirm.tsx';

/** The page with unsaved changes. Only one editor is open at a time, so a single variable is enough. */
let unsavedAt: string | undefined;

/** Called when changes are saved, before leaving the page. */
export const forgetUnsaved = (): void => {
  unsavedAt = undefined;
};

/** Leaves immediately, or after asking if changes would be lost. */
export const leaveSafely = (leave: () => void): void => {
  if (unsavedAt === undefined) {
    leave();
    return;
  }
  confirmLoss({
    title: 'Leave without saving?',
    text: 'Your changes on this page will be lost.',
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

// The browser has already gone back. Return to this page before the router, whose listener runs later, notices; and
// leave if that is confirmed.
window.addEventListener('popstate', (event) => {
  if (unsavedAt === undefined || window.location.href === unsavedAt) return;
  event.stopImmediatePropagation();
  window.history.pushState(null, '', unsavedAt);
  leaveSafely(() => window.history.back());
});

/** Asks before unsaved changes are lost: by a link, by going back, by closing or reloading the tab. */
export const useUnsaved = (isDirty: boolean): void => {
  useEffect(() => {
    if (!isDirty) return;
    unsavedAt = window.location.href;
    return forgetUnsaved;
  }, [isDirty]);
};
