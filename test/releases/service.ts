/** The code of the last release as one small file, so that tests can run it beside this version. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { FOLDER, RELEASES } from './release.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = 'service.json.gz';

/** Its files by name; packages are not part of them. */
type Files = Record<string, string>;

const bundle = async (root: string): Promise<Files> => {
  const built = (await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      write: false,
      minify: true,
      rolldownOptions: {
        input: { main: join(root, 'src/main.ts'), worker: join(root, 'src/compute/worker.ts') },
        external: /^[^./]/,
        // Flat, and with the names of the sources, since the worker is found by its own.
        output: { entryFileNames: '[name].ts', chunkFileNames: '[name].js' },
      },
    },
  })) as Rolldown.RolldownOutput;
  return Object.fromEntries(
    built.output.flatMap((part) => (part.type === 'chunk' ? [[part.fileName, part.code]] : [])),
  );
};

/** Keeps the code of a release, and drops that of the release before it. Returns its size in bytes. */
export const writeService = async (release: string, root = ROOT): Promise<number> => {
  for (const other of RELEASES) await rm(join(FOLDER, other, FILE), { force: true });
  const content = gzipSync(JSON.stringify(await bundle(root)), { level: 9 });
  await writeFile(join(FOLDER, release, FILE), content);
  return content.length;
};

export interface ReleasedService {
  readonly release: string;
  /** The script that starts it. */
  readonly script: string;
  remove(): Promise<void>;
}

/** Unpacks the code of the last release, to be run with the packages of this version. */
export const openService = async (): Promise<ReleasedService> => {
  const release = RELEASES.at(-1) as string;
  const files = JSON.parse(gunzipSync(await readFile(join(FOLDER, release, FILE))).toString()) as Files;
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-released-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, code] of Object.entries(files)) await writeFile(join(folder, name), code);
  return { release, script: join(folder, 'main.ts'), remove: () => rm(folder, { recursive: true, force: true }) };
};
