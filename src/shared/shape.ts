import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type Issue, listIssues, pointerToken } from './errors.ts';
import { LIMITS } from './limits.ts';

const DATE_TIME = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Whether a time exists: `Date.parse` would turn February 31 into a day in March. The year must have four digits in UTC
 * too, whatever the offset, since responses use UTC.
 */
const isDateTime = (text: string): boolean => {
  const [, date, day] = DATE_TIME.exec(text) ?? [];
  const moment = new Date(text);
  if (date === undefined || Number.isNaN(moment.getTime())) return false;
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day) && /^\d{4}-/.test(moment.toISOString());
};

/** Whether a day exists, as YYYY-MM-DD. */
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && isDateTime(`${text}T00:00:00Z`);

const formats = { 'date-time': isDateTime, date: isDate };
export const shapeOptions = {
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  formats,
} as const;

/**
 * Values in JSON bodies are never coerced. JSON allows 1e999, which parses as Infinity and is not accepted as a number.
 */
const bodyOptions = { ...shapeOptions, coerceTypes: false, strictNumbers: true } as const;
const bodies = new Ajv(bodyOptions);
const thoroughBodies = new Ajv({ ...bodyOptions, allErrors: true });

/** Error messages of patterns. */
const PATTERNS = new Map<string, string>();

/** Registers the error message of a pattern for use in schemas. */
export const describedPattern = (pattern: string, message: string): string => {
  PATTERNS.set(pattern, message);
  return pattern;
};

const toIssue = (root: string, { keyword, instancePath, params, message }: ErrorObject): Issue => {
  const path = `${root}${instancePath}`;
  switch (keyword) {
    case 'required':
      return { path: `${path}/${pointerToken(params.missingProperty)}`, message: 'is required' };
    case 'additionalProperties':
      return { path: `${path}/${pointerToken(params.additionalProperty)}`, message: 'is not a known member' };
    case 'enum':
      return { path, message: `must be one of ${params.allowedValues.join(', ')}` };
    case 'pattern':
      return { path, message: PATTERNS.get(params.pattern) ?? 'is not valid' };
    case 'format':
      return { path, message: params.format === 'date' ? 'must be a date as YYYY-MM-DD' : 'must be an ISO 8601 time' };
    case 'type':
      return { path, message: `must be ${[params.type].flat().join(' or ')}` };
    default:
      return { path, message: message ?? 'is not valid' };
  }
};

/** Converts validation errors to issues; `root` is the pointer to the validated value. */
export const toIssues = (root: string, errors: readonly ErrorObject[]): Issue[] =>
  listIssues(errors, (error) => toIssue(root, error), root);

/** Whether a value contains at most this many values. Stops counting there. */
const isSmall = (value: unknown, most: number): boolean => {
  let left = most;
  const count = (member: unknown): void => {
    left -= 1;
    if (left < 0 || typeof member !== 'object' || member === null) return;
    for (const key in member) {
      if (left < 0) return;
      count((member as Record<string, unknown>)[key]);
    }
  };
  count(value);
  return left >= 0;
};

/** Checks a value against a schema. */
export interface Check {
  (value: unknown): boolean;
  /** The first error of the value that was checked last. */
  errors?: ErrorObject[] | null;
  /** The issues of a value; empty if it is valid. */
  issuesOf(value: unknown, root: string): Issue[];
}

/**
 * Most values are valid, and the first error is enough to reject one. Collecting all errors takes time for each of
 * them, however many are reported, so that is done only for small values.
 */
export const compileBody = (schema: object): Check => {
  const validate = bodies.compile(schema);
  let collect: ValidateFunction | undefined;
  const issuesOf = (value: unknown, root: string): Issue[] => {
    if (validate(value)) return [];
    if (!isSmall(value, LIMITS.valuesCheckedThoroughly)) return toIssues(root, validate.errors ?? []);
    collect ??= thoroughBodies.compile(schema);
    collect(value);
    return toIssues(root, collect.errors ?? []);
  };
  return Object.assign(validate, { issuesOf }) as Check;
};

/** For values that no route can check because the schema depends on other data. */
export const compileShape = (schema: object): Check['issuesOf'] => compileBody(schema).issuesOf;
