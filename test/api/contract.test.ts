import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertKeepsContract } from '../contract.ts';

const ATTRIBUTE = '{"id":"a","name":"n","min":0,"max":1,"step":null,"teamId":"t"}';
const NOT_FOUND = '{"code":"NOT_FOUND","message":"Not found","issues":[]}';

const exchangeOf = (request: string, status: number, text: string, type = 'application/json') => {
  const [method = '', path = ''] = request.split(' ');
  return { method, path, status, text, headers: new Headers({ 'content-type': type }) };
};

describe('the check of every response that a test receives', () => {
  for (const [what, request, status, text, type] of [
    ['a described response', 'GET /attributes', 200, `[${ATTRIBUTE}]`],
    ['a described error', 'PUT /attributes/a', 404, NOT_FOUND],
    ['an error of an unknown path', 'GET /nowhere', 404, NOT_FOUND],
    ['a page', 'GET /docs/', 200, '<html>', 'text/html'],
    ['the OpenAPI document', 'GET /openapi.json', 200, '{ "openapi": "3.1.1" }'],
  ] as const)
    test(`accepts ${what}`, () => {
      assertKeepsContract(exchangeOf(request, status, text, type));
    });

  for (const [what, request, status, text, type] of [
    ['a missing member', 'GET /attributes', 200, `[${ATTRIBUTE.replace('"min":0,', '')}]`],
    ['an additional member', 'GET /attributes', 200, `[${ATTRIBUTE.replace('{', '{"colour":"red",')}]`],
    ['a repeated member', 'GET /attributes', 200, `[${ATTRIBUTE.replace('{', '{"min":0,')}]`],
    ['a member of another type', 'GET /attributes', 200, `[${ATTRIBUTE.replace('0', '"0"')}]`],
    ['a status that is not described', 'GET /attributes', 409, NOT_FOUND.replace('NOT_FOUND', 'CONFLICT')],
    ['an operation that is not described', 'GET /nowhere', 200, '[]'],
    ['a body that is not JSON', 'GET /attributes', 200, 'none', 'text/plain'],
    ['an empty body', 'DELETE /attributes/a', 200, ''],
    ['the code of another error', 'GET /items/a', 404, NOT_FOUND.replace('NOT_FOUND', 'CONFLICT')],
    ['another message', 'GET /items/a', 404, NOT_FOUND.replace('Not found', 'No such item')],
    ['an error with more members', 'GET /items/a', 404, NOT_FOUND.replace('{', '{"stack":"at",')],
    ['another error of an unknown path', 'GET /nowhere', 404, '{"error":"Not Found"}'],
  ] as const)
    test(`rejects ${what}`, () => {
      assert.throws(() => assertKeepsContract(exchangeOf(request, status, text, type)), assert.AssertionError);
    });
});
