import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { build } from 'vite';
import type { PageFile } from './server.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Builds the page into a folder. */
export const buildPage = async (outDir: string): Promise<void> => {
  await build({
    root: join(import.meta.dirname, '../src'),
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy allows no scripts and styles that are part of the page.
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
    },
  });
};

/** Everything that is served, by its path: nothing else of the disk can be asked for. */
export const readPage = async (folder: string): Promise<Map<string, PageFile>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = files.map(async (file): Promise<[string, PageFile]> => {
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    return [path, { type: TYPES[extname(file)] ?? 'application/octet-stream', body: await readFile(file) }];
  });
  return new Map(await Promise.all(read));
};
