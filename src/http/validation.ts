import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { Issue } from '../shared/errors.ts';
import { type Check, compileBody, shapeOptions, toIssues } from '../shared/shape.ts';

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
