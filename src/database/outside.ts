import type { Finder } from './work.ts';

/** A place for something that is made once. */
export interface Slot<T> {
  made?: { readonly value: T };
  making?: Promise<void>;
}

/**
 * What a command needs, made at once or, if it would keep a transaction waiting, outside of any: then the command runs
 * again once it is there. It is made once for everyone who waits for it, and again if that fails.
 */
export const madeOutside = <T>(slot: Slot<T>, finder: Finder, make: () => T | Promise<T>): T => {
  if (slot.made !== undefined) return slot.made.value;
  if (slot.making === undefined) {
    const making = make();
    if (!(making instanceof Promise)) {
      slot.made = { value: making };
      return making;
    }
    slot.making = making
      .then((value) => {
        slot.made = { value };
      })
      .finally(() => {
        slot.making = undefined;
      });
  }
  return finder.rerunAfter(slot.making);
};

/** The same with a slot of its own. */
export const outside = <T>(make: () => T | Promise<T>): ((finder: Finder) => T) => {
  const slot: Slot<T> = {};
  return (finder) => madeOutside(slot, finder, make);
};
