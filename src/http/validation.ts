import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { type Issue, pointerToken } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { compileBody, shapeOptions, toIssues } from '../shape.ts';

/** Queries and paths are text, and are turned into numbers where the contract says so. */
const texts = new Ajv({ ...shapeOptions, coerceTypes: true });

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
  if (httpPart === 'body') return compileBody(schema);
  const validate = texts.compile(schema);
  return httpPart === 'querystring' ? splittingLists(schema, validate) : validate;
};

const PARTS = { params: '/path', querystring: '/query', body: '/body' } as const;

/** What is wrong with every part of a request: Fastify itself stops at the first part that has a fault. */
export const requestIssues = (request: FastifyRequest): Issue[] => {
  const { params, query: querystring, body = null } = request;
  const values = { params, querystring, body };
  return Object.entries(PARTS).flatMap(([part, root]) => {
    const validate = request.getValidationFunction(part as keyof typeof PARTS) as ValidateFunction | undefined;
    return validate === undefined || validate(values[part as keyof typeof PARTS])
      ? []
      : toIssues(root, validate.errors ?? []);
  });
};

/** Characters that no text of the service may hold: NUL, which PostgreSQL cannot store, and halves of a surrogate pair. */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const unstorable = (value: unknown, path: string, depth = 0): Issue[] => {
  if (depth > LIMITS.bodyDepth) return [{ path: '/body', message: 'is nested too deep' }];
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
