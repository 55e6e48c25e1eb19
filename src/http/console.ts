import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import type { App } from './server.ts';

const BUILT = fileURLToPath(new URL('../../console/dist/', import.meta.url));

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** The same, compressed when the console was built, by the name of the encoding; the best first. */
  readonly encodings: readonly (readonly [name: string, bytes: Buffer])[];
}

interface Built {
  readonly page: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

const load = async (): Promise<Built | undefined> => {
  const page = await readFile(join(BUILT, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const entries = await readdir(BUILT, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const assets = new Map<string, Asset>();
  for (const file of names) {
    const type = TYPES[extname(file)];
    if (type === undefined) continue;
    const encodings: [string, Buffer][] = [];
    if (names.includes(`${file}.br`)) encodings.push(['br', await readFile(`${file}.br`)]);
    if (names.includes(`${file}.gz`)) encodings.push(['gzip', await readFile(`${file}.gz`)]);
    assets.set(relative(BUILT, file).split(sep).join('/'), { type, bytes: await readFile(file), encodings });
  }
  return { page, assets };
};

/** Pictures of items may lie anywhere; everything else comes from the service, and styles that are not files bear the nonce. */
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

const accepts = (header: string | undefined, encoding: string): boolean =>
  (header ?? '').split(',').some((part) => {
    const [name, quality] = part.split(';q=').map((text) => text.trim());
    return name === encoding && Number(quality ?? 1) > 0;
  });

const sendAsset = (request: FastifyRequest, reply: FastifyReply, asset: Asset, cacheControl: string) => {
  const header = request.headers['accept-encoding'];
  const encoded = asset.encodings.find(([name]) => accepts(header, name));
  if (encoded !== undefined) reply.header('content-encoding', encoded[0]);
  return reply
    .type(asset.type)
    .headers({ 'cache-control': cacheControl, vary: 'accept-encoding' })
    .send(encoded?.[1] ?? asset.bytes);
};

const sendPage = (reply: FastifyReply, { page }: Built) => {
  const nonce = randomBytes(16).toString('base64url');
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': policy(nonce), 'cache-control': 'no-cache' })
    .send(page.replaceAll('NONCE', nonce));
};

const sendNotBuilt = (reply: FastifyReply) =>
  reply
    .code(503)
    .type('text/plain; charset=utf-8')
    .send('The console has not been built. Run `npm ci`, or `npm run console`, and start the service again.\n');

/** Serves the web console, which is built beforehand. It is held in memory: its files are few, and known at the start. */
export const consoleRoutes = (app: App): void => {
  let loading: Promise<Built | undefined> | undefined;
  const built = () => {
    loading ??= load();
    return loading;
  };
  const open = { schema: { hide: true }, config: { access: 'public' } } as const;

  app.get('/', open, (_request, reply) => reply.redirect('/console'));

  app.get('/console', open, async (_request, reply) => {
    const found = await built();
    return found === undefined ? sendNotBuilt(reply) : sendPage(reply, found);
  });

  app.get('/console/*', open, async (request, reply) => {
    const found = await built();
    if (found === undefined) return sendNotBuilt(reply);
    const name = (request.params as { '*': string })['*'];
    const asset = found.assets.get(name);
    const isHashed = name.startsWith('assets/');
    if (asset !== undefined)
      return sendAsset(request, reply, asset, isHashed ? 'public, max-age=31536000, immutable' : 'max-age=3600');
    if (isHashed) throw new ServiceError('NOT_FOUND');
    // Any other address is one of the console's own pages, which it finds by itself.
    return sendPage(reply, found);
  });

  app.get('/favicon.ico', open, async (request, reply) => {
    const icon = (await built())?.assets.get('favicon.svg');
    if (icon === undefined) throw new ServiceError('NOT_FOUND');
    return sendAsset(request, reply, icon, 'max-age=3600');
  });
};
