const MAX_LENGTH = 60;

/** Ids that addresses of the API use for something else. */
const TAKEN = ['roll', 'odds', 'batch', 'type', 'stats', 'drop-rates'];

/** An id that says what it is of: `Sword of Dawn` becomes `sword-of-dawn`. Empty if the name has no such letters. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}|['’]/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '');

/** A slug that nothing else has as its id; undefined if the name gives none. */
export const freeSlug = (name: string, isTaken: (id: string) => boolean): string | undefined => {
  const slug = slugOf(name);
  if (slug === '') return undefined;
  const isFree = (id: string) => !isTaken(id) && !TAKEN.includes(id);
  if (isFree(slug)) return slug;
  for (let number = 2; ; number += 1) if (isFree(`${slug}-${number}`)) return `${slug}-${number}`;
};
