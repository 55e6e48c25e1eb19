import { notFound } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import type { App } from './server.ts';
import { REVALIDATED, type StaticFiles, sendFile, sendNotBuilt } from './static-files.ts';

/** The pages have neither inline scripts nor inline styles, and load nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Names of assets change with their content. */
const ASSET = `public, max-age=${LIMITS.consoleAssetS}, immutable`;

const open = { schema: { hide: true }, config: { access: 'public' } } as const;

const fileOf = (path: string): string => {
  if (path === '') return 'index.html';
  return path.includes('.') ? path : `${path}.html`;
};

/** Serves the documentation, as pages and as Markdown. */
export const guideRoutes = (app: App, files: StaticFiles, prefix: string): void => {
  app.get('/guides', open, async (_request, reply) => reply.redirect(`${prefix}/guides/`, 301));
  app.get('/llms.txt', open, async (_request, reply) => reply.redirect(`${prefix}/guides/llms.txt`, 302));
  app.get('/guides/*', open, async (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    const file = await files.find(`guides/${fileOf(path)}`);
    if (file !== undefined) {
      reply.header('content-security-policy', POLICY);
      return sendFile(request, reply, file, path.startsWith('assets/') ? ASSET : REVALIDATED);
    }
    if ((await files.find('guides/index.html')) === undefined) return sendNotBuilt(reply, 'The documentation');
    throw notFound();
  });
};
