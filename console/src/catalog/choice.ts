import { useCallback, useSyncExternalStore } from 'react';
import { useSession } from '../session/session.tsx';

/**
 * What edits go to: the live catalog, a draft, or, without a choice, a draft that the first edit starts. Kept per team,
 * and the same in all tabs of a browser.
 */
export type Choice =
  | { readonly to: 'live' }
  | { readonly to: 'draft'; readonly id: string }
  | { readonly to: 'new draft' };

const LIVE = 'live';
const DRAFT = 'draft:';

const keyOf = (teamId: string): string => `itemwright.catalog.${teamId}`;

const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
};

const parse = (stored: string | null): Choice => {
  if (stored === LIVE) return { to: 'live' };
  return stored?.startsWith(DRAFT) ? { to: 'draft', id: stored.slice(DRAFT.length) } : { to: 'new draft' };
};

export const readChoice = (teamId: string): Choice => parse(localStorage.getItem(keyOf(teamId)));

export const storeChoice = (teamId: string, choice: Choice): void => {
  if (choice.to === 'new draft') localStorage.removeItem(keyOf(teamId));
  else localStorage.setItem(keyOf(teamId), choice.to === 'live' ? LIVE : `${DRAFT}${choice.id}`);
  for (const listener of listeners) listener();
};

export const useTeamId = (): string => useSession().credentials?.teamId ?? '';

export const useChoice = (): Choice => {
  const teamId = useTeamId();
  const read = useCallback(() => localStorage.getItem(keyOf(teamId)), [teamId]);
  return parse(useSyncExternalStore(subscribe, read));
};
