import { useMemo, useSyncExternalStore } from 'react';

/** Which rows are selected. Each row listens for itself: drawing all of them takes longer than a click may. */
export interface Selection {
  readonly has: (id: string) => boolean;
  readonly ids: () => ReadonlySet<string>;
  readonly set: (ids: Iterable<string>) => void;
  readonly toggle: (id: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

const createSelection = (): Selection => {
  let chosen: ReadonlySet<string> = new Set();
  const listeners = new Set<() => void>();
  const set = (ids: Iterable<string>): void => {
    chosen = new Set(ids);
    for (const listener of listeners) listener();
  };
  return {
    has: (id) => chosen.has(id),
    ids: () => chosen,
    set,
    toggle: (id) => set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

export const useSelection = (): Selection => useMemo(createSelection, []);

export const useSelected = ({ ids, subscribe }: Selection): ReadonlySet<string> => useSyncExternalStore(subscribe, ids);

export const useIsSelected = ({ has, subscribe }: Selection, id: string): boolean =>
  useSyncExternalStore(subscribe, () => has(id));
