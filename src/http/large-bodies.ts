import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js';
import { LIMITS } from '../shared/limits.ts';
import type { App } from './server.ts';
import { validatorCompiler } from './validation.ts';

/** A body that is passed on as it arrived: parsing one of many megabytes would keep other requests waiting. */
export class LargeBody {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Identifies it when a request with an `Idempotency-Key` is compared with an earlier one. */
  toJSON(): string {
    return createHash('sha256').update(this.bytes).digest('base64');
  }
}

/** Adds routes that take bodies of up to 64 MiB, as `LargeBody`. Whatever reads them validates them. */
export const withLargeBodies = (app: App, addRoutes: (scope: App) => void): void => {
  app.register((scope, _options, done) => {
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: LIMITS.catalogBodyBytes },
      (_request: FastifyRequest, bytes: Buffer, parsed: (error: null, body: LargeBody) => void) =>
        parsed(null, new LargeBody(bytes)),
    );
    addRoutes(scope as unknown as App);
    done();
  });
};

/** What such a route needs besides its schema. */
export const largeBody = {
  bodyLimit: LIMITS.catalogBodyBytes,
  validatorCompiler: (part: FastifyRouteSchemaDef<object>) =>
    part.httpPart === 'body' ? () => true : validatorCompiler(part as never),
};

/** The body as bytes; empty if there is none. */
export const bytesOf = ({ body }: FastifyRequest): Buffer => (body instanceof LargeBody ? body.bytes : Buffer.alloc(0));
