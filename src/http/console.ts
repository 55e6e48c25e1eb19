import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../limits.ts';
import type { App } from './server.ts';

const BUILT = fileURLToPath(new URL('../../console/dist/', import.meta.url));

/** Item pictures may be on any host; everything else comes from the service, and inline styles need the nonce. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https: http:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const sendPage = async (reply: FastifyReply, prefix: string) => {
  const page = await readFile(join(BUILT, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined)
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The console has not been built. Run `npm ci`, without --omit=dev, and then `npm start` again.\n');
  const nonce = randomBytes(16).toString('base64url');
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': policy(nonce), 'cache-control': 'no-cache' })
    .send(
      page
        .replaceAll('NONCE', nonce)
        .replaceAll('PATH_PREFIX', prefix)
        // The same page is served at every path of the console, so its files need absolute paths.
        .replaceAll('="./', `="${prefix}/console/`),
    );
};

/** Serves the prebuilt web console. */
export const consoleRoutes = async (app: App, prefix: string): Promise<void> => {
  await app.register(async (pages) => {
    pages.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true };
      route.config = { ...route.config, access: 'public' };
    });

    await pages.register(fastifyStatic, {
      root: join(BUILT, 'assets'),
      prefix: '/console/assets/',
      // The build writes `.br` and `.gz` files beside each asset, so that no request pays for compression.
      preCompressed: true,
      maxAge: LIMITS.consoleAssetMs,
      immutable: true,
      index: false,
      acceptRanges: false,
      // The service works without a console, and says so at its address.
      suppressWarning: true,
    });
    const sendIcon = (_request: FastifyRequest, reply: FastifyReply) =>
      reply.sendFile('favicon.svg', BUILT, { maxAge: LIMITS.consoleIconMs, immutable: false });

    pages.get('/', (_request, reply) => reply.redirect(`${prefix}/console`));
    pages.get('/favicon.ico', sendIcon);
    pages.get('/console/favicon.svg', sendIcon);
    pages.get('/console', (_request, reply) => sendPage(reply, prefix));
    // Any other path is a page of the console, which does its own routing.
    pages.get('/console/*', (_request, reply) => sendPage(reply, prefix));
  });
};
