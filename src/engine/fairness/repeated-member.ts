/** Characters between two steps. */
const STEP_LENGTH = 1 << 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const [BRACE, END_BRACE, BRACKET, END_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The place after the string that begins at a quote. */
const endOfString = (source: string, start: number): number => {
  let at = start + 1;
  while (source.charCodeAt(at) !== QUOTE) at += source.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
};

const nameOf = (source: string, start: number, end: number): string => {
  const text = source.slice(start, end);
  return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
};

const afterSpace = (source: string, start: number): number => {
  let at = start;
  while (' \t\r\n'.includes(source.charAt(at)) && at < source.length) at += 1;
  return at;
};

/**
 * The name of a member that an object has twice, in a text that is known to be JSON. Parsers disagree about which of the
 * two counts, so that two verifiers could see two different proofs in one file.
 */
export function* repeatedMember(source: string): Generator<void, string | undefined> {
  /** The members of each object around the place; undefined for a list. */
  const around: (Set<string> | undefined)[] = [];
  let stepAt = STEP_LENGTH;
  for (let at = 0; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === BRACE) around.push(new Set());
    else if (unit === BRACKET) around.push(undefined);
    else if (unit === END_BRACE || unit === END_BRACKET) around.pop();
    else if (unit === QUOTE) {
      const end = endOfString(source, at);
      const members = around.at(-1);
      if (members !== undefined && source.charCodeAt(afterSpace(source, end)) === COLON) {
        const name = nameOf(source, at, end);
        if (members.has(name)) return name;
        members.add(name);
      }
      at = end - 1;
    }
    if (at >= stepAt) {
      stepAt = at + STEP_LENGTH;
      yield;
    }
  }
  return undefined;
}
