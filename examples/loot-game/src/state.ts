import type { ItemView, Me, World } from '../server/api.ts';
import { getMe } from './calls.ts';

/** What the page shows: the world, which does not change, and the player. */
export interface Shown {
  readonly world: World;
  readonly items: ReadonlyMap<string, ItemView>;
  me: Me;
}

type Listener = (shown: Shown) => void;

const listeners: Listener[] = [];

/** Called at once whenever what is shown has changed. */
export const onChange = (listener: Listener): void => {
  listeners.push(listener);
};

let shown: Shown | undefined;

export const start = (world: World, me: Me): Shown => {
  shown = { world, me, items: new Map(world.items.map((item) => [item.id, item])) };
  notify();
  return shown;
};

const notify = (): void => {
  if (shown !== undefined) for (const listener of listeners) listener(shown);
};

/** Asks the server for the player again; without a session, the page starts over. */
export const refresh = async (): Promise<void> => {
  const me = await getMe();
  if (me === null) location.reload();
  else if (shown !== undefined) {
    shown.me = me;
    notify();
  }
};
