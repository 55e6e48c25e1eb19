import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { pointerToken } from '../src/shared/errors.ts';

/** A response as it was received, and the request that it answers. */
interface Exchange {
  readonly method: string;
  /** Without the path prefix of the service and without the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Record<string, { example?: { code?: string; message?: string } }>;
}

type Responses = Record<string, Response>;

interface Description {
  readonly paths: Record<string, Record<string, { responses: Responses }>>;
  readonly components: { readonly responses: Responses };
}

const JSON_TYPE = 'application/json';

/** Served beside the API, and not described by it. */
const DOCUMENT_PATH = '/openapi.json';

/** Closes every object schema, so that a member missing from the contract is noticed. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const walked = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in walked && !('additionalProperties' in walked)
    ? { ...walked, additionalProperties: false }
    : walked;
};

const pointerTo = (...tokens: string[]): string =>
  `#/${tokens.map((token) => encodeURIComponent(pointerToken(token))).join('/')}`;

/**
 * The committed OpenAPI document. Another test checks that it matches the service; generating it for every service
 * would take longer than starting one.
 */
const readContract = () => {
  const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
  const document = closed(committed) as Description;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema(document, 'interface');
  const compiled = new Map<string, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    literal: !path.includes('{'),
    path,
    operations,
  }));
  /** Every error is described once, and all operations refer to it. */
  const errors: Responses = Object.assign(
    {},
    ...routes.flatMap(({ operations }) => Object.values(operations).map(({ responses }) => responses)),
  );
  return {
    errors,
    /** The responses of an operation, and where they are in the document. */
    responsesOf: (method: string, path: string) => {
      const verb = method.toLowerCase();
      const fitting = routes.filter(({ pattern, operations }) => pattern.test(path) && verb in operations);
      const route = fitting.find(({ literal }) => literal) ?? fitting[0];
      if (route === undefined) return undefined;
      const responses = route.operations[verb]?.responses as Responses;
      return { responses, pointer: pointerTo('paths', route.path, verb, 'responses') };
    },
    /** The fixed code and message of an error. */
    errorIn: ({ $ref = '' }: Response) =>
      document.components.responses[$ref.split('/').at(-1) as string]?.content?.[JSON_TYPE]?.example,
    validatorAt: (pointer: string): ValidateFunction => {
      let validate = compiled.get(pointer);
      if (validate === undefined) {
        validate = ajv.compile({ $ref: `interface${pointer}/content/${pointerToken(JSON_TYPE)}/schema` });
        compiled.set(pointer, validate);
      }
      return validate;
    },
  };
};

let contract: ReturnType<typeof readContract> | undefined;

/** What the document says about a response; undefined for a page or a file, which are not part of the API. */
const findDescription = (
  { errors, responsesOf }: ReturnType<typeof readContract>,
  { method, path, status }: Exchange,
  isJson: boolean,
): { response: Response | undefined; pointer: string } | undefined => {
  const found = responsesOf(method, path);
  if (found !== undefined) return { response: found.responses[status], pointer: `${found.pointer}/${status}` };
  // An operation that is missing from the document can only be reached by leaving the API: all else is an error.
  if (!isJson || path === DOCUMENT_PATH) return undefined;
  return { response: status < 400 ? undefined : errors[status], pointer: '' };
};

/**
 * Asserts that a response is what the OpenAPI document says: a status that the operation lists, JSON with all required
 * members and no others, each member once, and the fixed code and message of an error. Returns the parsed body.
 */
export const assertKeepsContract = (exchange: Exchange): unknown => {
  const { method, path, status, headers, text } = exchange;
  const isJson = text !== '' && (headers.get('content-type') ?? '').startsWith(JSON_TYPE);
  const body: unknown = isJson ? JSON.parse(text) : text;
  contract ??= readContract();
  const description = findDescription(contract, exchange, isJson);
  if (description === undefined) return body;

  const said = () => `${method} ${path} responded ${status}: ${text.slice(0, 2000)}`;
  const { response, pointer } = description;
  assert.ok(response !== undefined, `${said()}, which the OpenAPI document does not describe`);
  if (status === 304) {
    assert.equal(text, '', said());
    return body;
  }
  assert.ok(isJson, `${said()}, which is not JSON`);
  // The document of a catalog is for people, too.
  const canonical =
    path.startsWith('/catalog?') || path === '/catalog' ? `${JSON.stringify(body, null, 2)}\n` : undefined;
  if (status === 200 && canonical !== undefined) assert.equal(text, canonical, 'the document is indented');
  else assert.equal(JSON.stringify(body).length, text.length, `${said()}, which repeats members or has spaces`);
  const validate = contract.validatorAt(response.$ref ?? pointer);
  assert.ok(validate(body), `${said()}, which is not its shape: ${JSON.stringify(validate.errors)}`);
  const error = contract.errorIn(response);
  if (error !== undefined) {
    const { code, message } = body as { code: string; message: string };
    assert.deepEqual([code, message], [error.code, error.message], said());
  }
  return body;
};
