import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import type { App } from './server.ts';
import { REVALIDATED, type StaticFiles, sendFile, sendNotBuilt } from './static-files.ts';

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

/** Names of assets change with their content. */
const ASSET = `public, max-age=${LIMITS.consoleAssetS}, immutable`;
const ICON = `public, max-age=${LIMITS.consoleIconS}`;

const open = { schema: { hide: true }, config: { access: 'public' } } as const;

/** Serves the prebuilt web console. */
export const consoleRoutes = (app: App, files: StaticFiles, prefix: string): void => {
  /** The page has a new nonce each time, so it is small, and nobody may keep it. */
  const sendPage = async (_request: FastifyRequest, reply: FastifyReply) => {
    const page = await files.find('index.html');
    if (page === undefined) return sendNotBuilt(reply, 'The console');
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': policy(nonce), 'cache-control': REVALIDATED })
      .send(
        page.content.bytes
          .toString()
          .replaceAll('NONCE', nonce)
          // The same page is served at every path of the console, so its files need absolute paths.
          .replaceAll('="./', `="${prefix}/console/`),
      );
  };
  const sendFound = async (request: FastifyRequest, reply: FastifyReply, path: string, cacheControl: string) => {
    const file = await files.find(path);
    if (file === undefined) throw notFound();
    return sendFile(request, reply, file, cacheControl);
  };
  const sendIcon = (request: FastifyRequest, reply: FastifyReply) => sendFound(request, reply, 'favicon.svg', ICON);

  app.get('/', open, async (_request, reply) => reply.redirect(`${prefix}/console`));
  app.get('/favicon.ico', open, sendIcon);
  app.get('/console/favicon.svg', open, sendIcon);
  app.get('/console/assets/*', open, (request, reply) =>
    sendFound(request, reply, `assets/${(request.params as { '*': string })['*']}`, ASSET),
  );
  app.get('/console', open, sendPage);
  // Any other path is a page of the console, which does its own routing.
  app.get('/console/*', open, sendPage);
};
