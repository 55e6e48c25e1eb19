import { createHash } from 'node:crypto';

/** What an identifier is made for. */
export interface Nameable {
  readonly id: string;
  /** What it is to be called, as text of any kind; the last part says what exactly. */
  readonly parts: readonly string[];
}

/** How a language writes identifiers, and which it does not allow. */
export interface Spelling {
  join(words: readonly string[]): string;
  readonly reserved: ReadonlySet<string>;
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** Such as `IronSword2`. */
export const pascalCase = (words: readonly string[]): string => words.map(capitalized).join('');
/** Such as `IRON_SWORD2`. */
export const constantCase = (words: readonly string[]): string => words.join('_').toUpperCase();

/** Words of letters and digits that every language allows. Letters lose their accents; other scripts have none. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .match(/\d*[A-Z]+(?![a-z])\d*|\d*[A-Z]?[a-z]+\d*|\d+/g) ?? [];

/** Parts of the digest of an id that follow an identifier: the next longer one if the one before is not unique. */
const DIGEST_LENGTHS = [0, 8, 16, 64] as const;

interface Candidate {
  readonly id: string;
  readonly plain: string;
  level: number;
}

const spell = ({ id, plain, level }: Candidate): string => {
  const digest = createHash('sha256').update(id).digest('hex').slice(0, DIGEST_LENGTHS[level]);
  return digest === '' ? plain : `${plain}_${digest}`;
};

const candidateOf = ({ id, parts }: Nameable, fallback: string, { join, reserved }: Spelling): Candidate => {
  const words = parts.map(wordsOf);
  const isNamed = (words.at(-1)?.length ?? 0) > 0;
  const joined = join(isNamed ? words.flat() : [...words.flat(), fallback]);
  const plain = /^\d/.test(joined) ? `_${joined}` : joined;
  return { id, plain: reserved.has(plain) ? `${plain}_` : plain, level: isNamed ? 0 : 1 };
};

/**
 * Identifiers for ids. If several would be the same, all of them get a part of a digest: whichever came first, the
 * meaning of one must not change when another comes or goes. What has no letter or digit to be called by gets the
 * fallback with a digest.
 */
export const identifiersOf = (
  things: readonly Nameable[],
  fallback: string,
  spelling: Spelling,
): Map<string, string> => {
  const candidates = things.map((thing) => candidateOf(thing, fallback, spelling));
  for (;;) {
    const shared = [...Map.groupBy(candidates, spell).values()].filter((same) => same.length > 1).flat();
    if (shared.length === 0) return new Map(candidates.map((candidate) => [candidate.id, spell(candidate)]));
    for (const candidate of shared) candidate.level = Math.min(candidate.level + 1, DIGEST_LENGTHS.length - 1);
  }
};
