import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { App } from './server.ts';

const BUILT = fileURLToPath(new URL('../../console/dist/verify.html', import.meta.url));

/** The page says itself what it may load; who may show it in a frame, only a header can say. */
const policyOf = (page: string): string => {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
  return `${policy ?? "default-src 'none'"}; frame-ancestors 'none'`;
};

/** Serves the page with which players verify their rolls: one file, which they may also save and open without a network. */
export const verifierRoutes = (app: App, path: string = BUILT): void => {
  app.get('/verify', { schema: { hide: true }, config: { access: 'public' } }, async (_request, reply) => {
    const page = await readFile(path, 'utf8').catch(() => undefined);
    if (page === undefined)
      return reply
        .code(503)
        .type('text/plain; charset=utf-8')
        .send(
          'The page that verifies rolls has not been built. Run `npm ci`, without --omit=dev, and then `npm start` again.\n',
        );
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': policyOf(page), 'cache-control': 'no-cache' })
      .send(page);
  });
};
