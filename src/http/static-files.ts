import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Encoding, Prepared, prepare } from '../shared/prepared.ts';
import { sendPrepared } from './prepared-responses.ts';

/** What `console/build.ts` builds: the console, the page that verifies rolls, the API reference and the guides. */
export const BUILT = fileURLToPath(new URL('../../console/dist/', import.meta.url));

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.sql': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.yml': 'text/plain; charset=utf-8',
};

/** The build writes these beside a file, so that nobody has to wait for compression. */
const COMPRESSED = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const satisfies readonly (readonly [Encoding, string])[];

export interface StaticFile {
  readonly type: string;
  readonly content: Prepared;
}

/** Files that are read once, all together, when somebody asks for the first of them. */
export interface StaticFiles {
  /** By its path in the folder; undefined if there is no such file. */
  find(path: string): Promise<StaticFile | undefined>;
}

/** Pages name the path prefix of the service by this. */
const PREFIX = 'PATH_PREFIX';

const readFiles = async (folder: string, prefix: string): Promise<Map<string, StaticFile>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
  const prepareFile = (path: string, bytes: Buffer): Prepared => {
    if (path.endsWith('.html') && bytes.includes(PREFIX)) return prepare(bytes.toString().replaceAll(PREFIX, prefix));
    const compressed = COMPRESSED.flatMap(([encoding, extension]) => {
      const found = contents.get(`${path}${extension}`);
      return found === undefined ? [] : [[encoding, found] as const];
    });
    return new Prepared(bytes, undefined, compressed);
  };
  const files = new Map<string, StaticFile>();
  for (const [path, bytes] of contents) {
    const type = TYPES[extname(path)];
    if (type !== undefined)
      files.set(relative(folder, path).replaceAll(sep, '/'), { type, content: prepareFile(path, bytes) });
  }
  return files;
};

export const createStaticFiles = (folder: string, prefix: string): StaticFiles => {
  let files: Promise<Map<string, StaticFile>> | undefined;
  return {
    find: async (path) => {
      files ??= readFiles(folder, prefix).catch((error: unknown) => {
        files = undefined;
        throw error;
      });
      const read = await files;
      // What is not built may be built later.
      if (read.size === 0) files = undefined;
      return read.get(path);
    },
  };
};

export const sendFile = (
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { type, content }: StaticFile,
  cacheControl: string,
): Promise<never> => sendPrepared(request, reply, content, { type, cacheControl });

/** For pages, and other files whose names stay when their content changes. */
export const REVALIDATED = 'no-cache';

/** What to say where a page has not been built: the service works without it. */
export const sendNotBuilt = (reply: FastifyReply, what: string): FastifyReply =>
  reply
    .code(503)
    .type('text/plain; charset=utf-8')
    .send(`${what} has not been built. Run \`npm ci\`, without --omit=dev, and then \`npm start\` again.\n`);
