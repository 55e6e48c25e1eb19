import { type Issue, pointerToken } from './errors.ts';
import { LIMITS } from './limits.ts';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

/** The end of the JSON string that starts at `start`; the end of the text if it is unterminated. */
const endOfString = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
};

/**
 * Checks whether JSON would cost too much to parse and walk. It scans the text: creating thousands of values takes
 * longer than counting them, and deeply nested ones cannot be walked at all.
 */
export const sizeIssue = (json: string, mostValues: number = LIMITS.bodyValues): Issue | undefined => {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case COMMA:
        values += 1;
        break;
      case 91: // [
      case 123: // {
        values += 1;
        depth += 1;
        if (depth > LIMITS.bodyDepth)
          return { path: '/body', message: `must not be nested more than ${LIMITS.bodyDepth} levels deep` };
        break;
      case 93: // ]
      case 125: // }
        depth -= 1;
    }
    if (values > mostValues)
      return { path: '/body', message: `must not have more than ${mostValues} values and members` };
  }
  return undefined;
};

/** Characters that no text may contain: NUL, which PostgreSQL cannot store, and lone surrogates. */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Finds strings and member names that cannot be stored, up to the number that is reported. */
const unstorable = (body: object): Issue[] => {
  const issues: Issue[] = [];
  const trail: string[] = [];
  const report = (message: string): void => {
    const tokens = trail.map((key) => pointerToken(key.slice(0, LIMITS.issuePathLength)));
    issues.push({ path: ['/body', ...tokens].join('/'), message });
  };
  const walk = (value: unknown): void => {
    if (typeof value === 'string' && !isStorable(value)) report('must not contain NUL characters or lone surrogates');
    if (typeof value !== 'object' || value === null) return;
    for (const key in value) {
      if (issues.length === LIMITS.issues) return;
      if (!isStorable(key)) {
        report('must not have member names with NUL characters or lone surrogates');
        continue;
      }
      trail.push(key);
      walk((value as Record<string, unknown>)[key]);
      trail.pop();
    }
  };
  walk(body);
  return issues;
};

/** Issues of a parsed body that no schema can detect. Only escapes can cause them, so most bodies are not walked. */
export const bodyIssues = (text: string, value: unknown): Issue[] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path: '/body', message: 'must be object' }];
  return SUSPECT_ESCAPE.test(text) ? unstorable(value) : [];
};
