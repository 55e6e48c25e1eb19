import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { type Issue, pointerToken } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Check, compileBody, shapeOptions, toIssues } from '../shape.ts';

/** Query and path parameters are strings, coerced to numbers if the schema says so. They are short. */
const texts = new Ajv({ ...shapeOptions, allErrors: true, coerceTypes: true });

interface ObjectSchema {
  properties?: Record<string, { type?: unknown }>;
}

/** Lists in a query may be comma-separated or repeated; both become one array before validation. */
const withSplitLists = (schema: ObjectSchema, validate: ValidateFunction) => {
  const lists = Object.entries(schema.properties ?? {})
    .filter(([, property]) => property.type === 'array')
    .map(([name]) => name);
  if (lists.length === 0) return validate;
  const split = (query: Record<string, unknown>) => {
    for (const name of lists) {
      const value = query[name];
      if (value !== undefined) query[name] = [value].flat().flatMap((part) => String(part).split(','));
    }
    return validate(query);
  };
  // Fastify reads the errors from the function it was given.
  Object.defineProperty(split, 'errors', { get: () => validate.errors });
  return split;
};

export const validatorCompiler: FastifySchemaCompiler<ObjectSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return compileBody(schema);
  const validate = texts.compile(schema);
  return httpPart === 'querystring' ? withSplitLists(schema, validate) : validate;
};

const PARTS = { params: '/path', querystring: '/query', body: '/body' } as const;

/** Validates every part of a request: Fastify itself stops at the first invalid part. */
export const requestIssues = (request: FastifyRequest): Issue[] => {
  const { params, query: querystring, body = null } = request;
  const values = { params, querystring, body };
  return Object.entries(PARTS).flatMap(([part, root]) => {
    const value = values[part as keyof typeof PARTS];
    const check = request.getValidationFunction(part as keyof typeof PARTS) as ValidateFunction | Check | undefined;
    if (check === undefined) return [];
    if ('issuesOf' in check) return check.issuesOf(value, root);
    return check(value) ? [] : toIssues(root, check.errors ?? []);
  });
};

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
export const sizeIssue = (json: string): Issue | undefined => {
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
    if (values > LIMITS.bodyValues)
      return { path: '/body', message: `must not have more than ${LIMITS.bodyValues} values and members` };
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
