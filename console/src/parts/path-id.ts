import { useLocation } from 'wouter';

/** The id at the end of the URL. Read from the URL itself: an id may contain any character, including escaped ones. */
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
