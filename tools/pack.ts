/**
 * `npm run pack`: writes the npm package itemwright-VERSION.tgz, which is all that somebody needs to run the service:
 * JavaScript instead of TypeScript, what was built of the console, and production dependencies at the versions of the
 * lock file. `npm pack` itself would pack the clone, so it is refused.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');

/** The oldest Node that the package runs on: the first whose SQLite can iterate over rows. */
const NODE = '>=22.13';

/** Beside the sources. Not every clone has a licence. */
const COPIED = ['console/dist', 'docs', 'openapi.json', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'];

/** What only a clone needs: its own Node, and the word `exec` in its scripts. */
const isForClones = (name: string): boolean => /^node-(?:linux|win)-\w+$|^itemwright-exec$/.test(name);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly funding?: unknown;
}

const readJson = async (file: string) => JSON.parse(await readFile(join(ROOT, file), 'utf8'));

const writeJson = (file: string, value: unknown): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

/** The client is what the command line calls a service with. */
const SOURCES = ['src', 'packages/client/src'];

/** Tests, and types of the client, which are generated and have no code. */
const isLeftOut = (file: string): boolean => file.endsWith('.test.ts') || file === 'packages/client/src/schema.ts';

/** Imports, and workers, name the files that they load. */
const toJavaScript = (source: string): string =>
  stripTypeScriptTypes(source).replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');

const copySources = async (to: string): Promise<void> => {
  const found = SOURCES.map((folder) => readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }));
  for (const entry of (await Promise.all(found)).flat()) {
    const file = relative(ROOT, join(entry.parentPath, entry.name));
    if (!entry.isFile() || isLeftOut(file.replaceAll('\\', '/'))) continue;
    const target = join(to, file).replace(/\.ts$/, '.js');
    await mkdir(dirname(target), { recursive: true });
    const text = await readFile(join(ROOT, file), 'utf8');
    await writeFile(target, file.endsWith('.ts') ? toJavaScript(text) : text);
  }
};

const manifestOf = ({ name, version, description, license, dependencies }: Manifest) => ({
  name,
  version,
  description,
  license,
  type: 'module',
  engines: { node: NODE },
  bin: { itemwright: 'bin/itemwright.cjs' },
  dependencies: Object.fromEntries(Object.entries(dependencies).filter(([dependency]) => !isForClones(dependency))),
});

/** The lock file without what the package leaves out, so that what is installed is what was tested. */
const shrinkwrapOf = (packages: Readonly<Record<string, LockedPackage>>, manifest: ReturnType<typeof manifestOf>) => {
  const { name, version, license, engines, bin, dependencies } = manifest;
  const kept = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) =>
      path.startsWith('node_modules/') &&
      !(dev || devOptional || link) &&
      !isForClones(path.slice('node_modules/'.length)),
  );
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, version, license, dependencies, bin, engines },
      ...Object.fromEntries(kept.map(([path, { funding, ...locked }]) => [path, locked])),
    },
  };
};

const fill = async (folder: string): Promise<void> => {
  const manifest = manifestOf(await readJson('package.json'));
  await copySources(folder);
  for (const name of COPIED.filter((name) => existsSync(join(ROOT, name))))
    await cp(join(ROOT, name), join(folder, name), {
      recursive: true,
      // Stamps of the build.
      filter: (path) => !/[\\/]\.[^\\/]+$/.test(path),
    });
  await cp(join(ROOT, 'tools/package'), join(folder, 'bin'), { recursive: true });
  await writeJson(join(folder, 'package.json'), manifest);
  const { packages } = await readJson('package-lock.json');
  await writeJson(join(folder, 'npm-shrinkwrap.json'), shrinkwrapOf(packages, manifest));
};

const pack = async (destination: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-pack-'));
  try {
    execFileSync(process.execPath, ['console/build.ts', '--strict'], { cwd: ROOT, stdio: 'inherit' });
    await fill(folder);
    const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error'], {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const [packed] = Object.values(JSON.parse(said)) as [{ filename: string; size: number; unpackedSize: number }];
    const { filename, size, unpackedSize } = packed;
    await cp(join(folder, filename), join(destination, `.${filename}`));
    await rename(join(destination, `.${filename}`), join(destination, filename));
    const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    process.stdout.write(`${filename}: ${megabytes(size)}, unpacked ${megabytes(unpackedSize)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const { values } = parseArgs({
  options: { refuse: { type: 'boolean' }, to: { type: 'string', default: ROOT } },
});
if (values.refuse) {
  // npm also runs this before `npm run pack`.
  if (/^run/.test(process.env.npm_command ?? '')) process.exit();
  process.stderr.write('itemwright: use `npm run pack`, which packs what runs the service, and not the clone\n');
  process.exitCode = 1;
} else await pack(resolve(values.to));
