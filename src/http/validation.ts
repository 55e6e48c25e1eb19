import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { type Issue, pointerToken } from '../errors.ts';
import { LIMITS } from '../limits.ts';

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A moment that exists: `Date.parse` would take the 31st of February for a day in March. */
const isDateTime = (text: string): boolean => {
  const parts = DATE_TIME.exec(text);
  if (parts === null || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
};

/** A day that exists, as YYYY-MM-DD. */
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && isDateTime(`${text}T00:00:00Z`);

const formats = { 'date-time': isDateTime, date: isDate };
const options = { allErrors: true, removeAdditional: false, useDefaults: false, strict: false, formats } as const;

/** Bodies are taken as they are; queries and paths are text, and are turned into numbers where the contract says so. */
const bodies = new Ajv({ ...options, coerceTypes: false });
const texts = new Ajv({ ...options, coerceTypes: true });

interface ObjectSchema {
  properties?: Record<string, { type?: unknown }>;
}

/** Lists in a query may be separated by commas or repeated; both become one array before they are checked. */
const splittingLists = (schema: ObjectSchema, validate: ValidateFunction) => {
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
  // Fastify looks for the faults on the function it was given.
  Object.defineProperty(split, 'errors', { get: () => validate.errors });
  return split;
};

export const validatorCompiler: FastifySchemaCompiler<ObjectSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return bodies.compile(schema);
  const validate = texts.compile(schema);
  return httpPart === 'querystring' ? splittingLists(schema, validate) : validate;
};

const PARTS: Record<string, string> = { body: 'body', querystring: 'query', params: 'path', headers: 'headers' };

const toIssue = (part: string, { keyword, instancePath, params, message }: ErrorObject): Issue => {
  const path = `/${part}${instancePath}`;
  switch (keyword) {
    case 'required':
      return { path: `${path}/${pointerToken(params.missingProperty)}`, message: 'is required' };
    case 'additionalProperties':
      return { path: `${path}/${pointerToken(params.additionalProperty)}`, message: 'is not a known member' };
    case 'enum':
      return { path, message: `must be one of ${params.allowedValues.join(', ')}` };
    case 'pattern':
      return { path, message: 'has characters or words that are not allowed here' };
    case 'format':
      return { path, message: params.format === 'date' ? 'must be a date as YYYY-MM-DD' : 'must be an ISO 8601 time' };
    case 'type':
      return { path, message: `must be ${[params.type].flat().join(' or ')}` };
    default:
      return { path, message: message ?? 'is not valid' };
  }
};

/** What validation found, in the words of the interface. */
export const toIssues = (context: string | undefined, errors: readonly unknown[]): Issue[] => {
  const part = PARTS[context ?? 'body'] ?? 'body';
  const issues = (errors as ErrorObject[]).slice(0, LIMITS.issues).map((error) => toIssue(part, error));
  if (errors.length > issues.length) issues.push({ path: `/${part}`, message: `${errors.length - issues.length} more faults` });
  return issues;
};

/** Characters that no text of the service may hold: NUL, which PostgreSQL cannot store, and halves of a surrogate pair. */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const DEEPEST = 64;

const unstorable = (value: unknown, path: string, depth = 0): Issue[] => {
  if (depth > DEEPEST) return [{ path: '/body', message: 'is nested too deep' }];
  if (typeof value === 'string')
    return storable(value) ? [] : [{ path, message: 'has a NUL character or half of a surrogate pair' }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    storable(key)
      ? unstorable(member, `${path}/${pointerToken(key)}`, depth + 1)
      : [{ path, message: 'has a member whose name has a NUL character or half of a surrogate pair' }],
  );
};

/** Faults of a parsed body that no schema can see. Only an escape can bring them in, so most bodies are not walked. */
export const bodyFaults = (text: string, value: unknown): Issue[] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path: '/body', message: 'must be object' }];
  return SUSPECT_ESCAPE.test(text) ? unstorable(value, '/body') : [];
};
