import { useLocation } from 'wouter';

/** The id at the end of the address. Read from the address itself: an id may hold any character, escaped ones too. */
export const usePathId = (): string => {
  useLocation();
  const last = window.location.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};

export const pathTo = (section: string, id: string): string => `/${section}/${encodeURIComponent(id)}`;
