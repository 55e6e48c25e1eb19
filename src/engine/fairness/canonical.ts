const compareUnits = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : 1;

/**
 * The one text of a JSON value, by RFC 8785: members sorted by their UTF-16 code units, no spaces, and numbers and
 * strings as JavaScript prints them.
 */
export const canonicalText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members.sort(compareUnits).map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`);
  return `{${texts.join(',')}}`;
};
