import { useHotkeys } from '@mantine/hooks';

/** The form that is open: that of a dialog, or of the page. */
const openForm = (): HTMLFormElement | null => {
  const inDialogs = document.querySelectorAll<HTMLFormElement>('[role="dialog"] form');
  return inDialogs[inDialogs.length - 1] ?? document.querySelector('form[data-saves]');
};

const focusSearch = (): void => {
  const field = document.querySelector<HTMLInputElement>('main [data-search], main input[type="search"]');
  field?.focus();
  field?.select();
};

/** Keys that do the same everywhere, also while something is typed if that is what they are for. */
export const useHotkeysOfPages = (onPalette: () => void): void => {
  useHotkeys([['/', focusSearch]]);
  useHotkeys(
    [
      ['mod+K', onPalette],
      ['mod+S', () => openForm()?.requestSubmit()],
    ],
    [],
    true,
  );
};
