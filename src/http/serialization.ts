import fastJson from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

type Serialize = ReturnType<FastifySerializerCompiler<object>>;

const compiled = new WeakMap<object, Serialize>();

/**
 * Compiles each schema once. Most are shared, the one of errors by every operation, and compiling is a good part of what
 * starting the service takes.
 */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  let serialize = compiled.get(schema);
  if (serialize === undefined) {
    serialize = fastJson(schema);
    compiled.set(schema, serialize);
  }
  return serialize;
};
