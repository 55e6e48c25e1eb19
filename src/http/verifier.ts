import type { App } from './server.ts';
import { REVALIDATED, type StaticFiles, sendFile, sendNotBuilt } from './static-files.ts';

/** The page says itself what it may load; who may show it in a frame, only a header can say. */
const policyOf = (page: string): string => {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
  return `${policy ?? "default-src 'none'"}; frame-ancestors 'none'`;
};

/** Serves the page with which players verify their rolls: one file, which they may also save and open without a network. */
export const verifierRoutes = (app: App, files: StaticFiles): void => {
  let policy: string | undefined;
  app.get('/verify', { schema: { hide: true }, config: { access: 'public' } }, async (request, reply) => {
    const page = await files.find('verify.html');
    if (page === undefined) return sendNotBuilt(reply, 'The page that verifies rolls');
    policy ??= policyOf(page.content.bytes.toString());
    reply.header('content-security-policy', policy);
    return sendFile(request, reply, page, REVALIDATED);
  });
};
