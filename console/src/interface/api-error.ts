import { ConnectionError, type Issue, ItemwrightError } from '@itemwright/client';

const UNREACHABLE = 'The service cannot be reached. Is it running, and are you connected?';

/** The parts of a JSON pointer, the first of which is empty. */
export const partsOf = (path: string): string[] =>
  path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * The member of the request that an issue is about: `/body/itemAttributes/0/min` → `itemAttributes 0 min`. Path
 * parameters are left out: they are what the page is about.
 */
const placeOf = (path: string): string =>
  partsOf(path.replace(/^\/path\/.*/, ''))
    .slice(2)
    .join(' ');

export const wordsOf = ({ path, message }: Issue): string => {
  const place = placeOf(path);
  return place === '' ? message : `${place}: ${message}`;
};

export const asSentence = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1);

/** Whether the service has answered with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: readonly number[]): error is ItemwrightError =>
  error instanceof ItemwrightError && statuses.includes(error.status);

/** An error in one line, for a notification. */
export const explain = (error: unknown): string => {
  if (error instanceof ConnectionError) return UNREACHABLE;
  if (!(error instanceof ItemwrightError)) return error instanceof Error ? error.message : String(error);
  if (error.issues.length > 0) return asSentence(error.issues.map(wordsOf).join('; '));
  if (error.status === 403) return 'Your secret does not allow this.';
  return error.message;
};
