import { useEffect } from 'react';
import { confirmLoss } from './confirm.tsx';

/** Whether the page holds changes that were not saved. One editor is open at a time, so one word for all will do. */
let hasUnsaved = false;

/** Called when changes are saved, before the page is left because of it. */
export const forgetUnsaved = (): void => {
  hasUnsaved = false;
};

/** Goes on at once, or after asking where changes would be lost. */
export const leaveSafely = (leave: () => void): void => {
  if (!hasUnsaved) {
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

/** Asks before changes are lost: by a link, by going back, by closing or reloading the tab. */
export const useUnsaved = (isDirty: boolean): void => {
  useEffect(() => {
    if (!isDirty) return;
    hasUnsaved = true;
    const here = window.location.href;
    const onUnload = (event: BeforeUnloadEvent) => {
      if (hasUnsaved) event.preventDefault();
    };
    // The browser has gone back already. It is brought here again before the page takes notice, and goes if that is wanted.
    const onBack = (event: PopStateEvent) => {
      if (!hasUnsaved || window.location.href === here) return;
      event.stopImmediatePropagation();
      window.history.pushState(null, '', here);
      leaveSafely(() => window.history.back());
    };
    window.addEventListener('beforeunload', onUnload);
    window.addEventListener('popstate', onBack, { capture: true });
    return () => {
      forgetUnsaved();
      window.removeEventListener('beforeunload', onUnload);
      window.removeEventListener('popstate', onBack, { capture: true });
    };
  }, [isDirty]);
};
