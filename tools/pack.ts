/**
 * What `npm pack` runs: before it packs, makes `dist`, which is all that somebody needs to run the service: JavaScript
 * instead of TypeScript, what was built of the console and of the documentation; and writes a lock file of the production
 * dependencies. With `--clean`, afterwards, removes both again.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
/** The only lock file that npm packs. Where it is, npm uses it instead of `package-lock.json`, so it must not stay. */
const SHRINKWRAP = join(ROOT, 'npm-shrinkwrap.json');

/**
 * The oldest Node that the package runs on: the first whose SQLite can iterate over rows. It is not in the `package.json`
 * of the clone, which brings its own: there, npm would warn of an older one.
 */
const NODE = '>=22.13';

/** Beside the sources. */
const COPIED = ['console/dist', 'deploy', 'openapi.json', 'CHANGELOG.md', 'SECURITY.md'];

/** The client is what the command line calls a service with. */
const SOURCES = ['src', 'packages/client/src'];

/** Tests, and types without code. */
const isLeftOut = (file: string): boolean =>
  file.endsWith('.test.ts') || ['packages/client/src/schema.ts', 'src/testing/types.ts'].includes(file);

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly funding?: unknown;
}

const readJson = async (file: string) => JSON.parse(await readFile(join(ROOT, file), 'utf8'));

const writeJson = (file: string, value: unknown): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

/** Imports, and workers, name the files that they load. */
const toJavaScript = (source: string): string =>
  stripTypeScriptTypes(source).replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');

const copySources = async (): Promise<void> => {
  const found = SOURCES.map((folder) => readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }));
  for (const entry of (await Promise.all(found)).flat()) {
    const file = relative(ROOT, join(entry.parentPath, entry.name));
    if (!entry.isFile() || isLeftOut(file.replaceAll('\\', '/'))) continue;
    const target = join(DIST, file).replace(/\.ts$/, '.js');
    await mkdir(dirname(target), { recursive: true });
    const text = await readFile(join(ROOT, file), 'utf8');
    await writeFile(target, file.endsWith('.ts') ? toJavaScript(text) : text);
  }
};

/** What a clone needs beside the service: packages for developing it, and the workspace with its Node. */
const isForClones = (path: string, { dev, devOptional, link }: LockedPackage): boolean =>
  !path.startsWith('node_modules/') || Boolean(dev || devOptional || link) || /\/node-(?:linux|win)-\w+$/.test(path);

/** The lock file of the clone without what only clones need, so that what is installed is what was tested. */
const shrinkwrap = async () => {
  const { name, version, license, engines, bin, dependencies } = await readJson('package.json');
  const locked: [string, LockedPackage][] = Object.entries((await readJson('package-lock.json')).packages);
  const kept = locked.filter(([path, one]) => !isForClones(path, one));
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, version, license, dependencies, bin, engines },
      ...Object.fromEntries(kept.map(([path, { funding, ...one }]) => [path, one])),
    },
  };
};

/** What is imported from the package needs no more than these: declarations of the whole service would name everything. */
const declareTesting = async (): Promise<void> => {
  const types = await readFile(join(ROOT, 'src/testing/types.ts'), 'utf8');
  const file = join(DIST, 'src/testing/start-itemwright.d.ts');
  await writeFile(file, `${types}\nexport declare const startItemwright: StartItemwright;\n`);
};

const fill = async (): Promise<void> => {
  await copySources();
  await declareTesting();
  for (const name of COPIED.filter((name) => existsSync(join(ROOT, name))))
    await cp(join(ROOT, name), join(DIST, name), {
      recursive: true,
      // Stamps of the build.
      filter: (path) => !/[\\/]\.[^\\/]+$/.test(path),
    });
  await cp(join(ROOT, 'tools/package'), join(DIST, 'bin'), { recursive: true });
  const { name, version, type } = await readJson('package.json');
  await writeJson(join(DIST, 'package.json'), { name, version, type, engines: { node: NODE } });
  await writeJson(SHRINKWRAP, await shrinkwrap());
};

const clean = async (): Promise<void> => {
  await rm(SHRINKWRAP, { force: true });
  await rm(DIST, { recursive: true, force: true });
};

await clean();
if (!process.argv.includes('--clean'))
  try {
    execFileSync(process.execPath, ['console/build.ts', '--strict'], { cwd: ROOT, stdio: 'inherit' });
    await fill();
  } catch (error) {
    await clean();
    throw error;
  }
