/**
 * Builds the console, the page that verifies rolls, the API reference and the guides, unless what was built last came of the same
 * sources. `npm ci` and
 * `npm start` both call it, so that neither a fresh clone nor a pulled change needs a step of its own.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const CONSOLE = join(PROJECT, 'console');
const BUILT = join(CONSOLE, 'dist');
/** Each part has a stamp of its own: the engine changes more often than the console, which takes longer to build. */
const STAMPS = {
  console: '.sources',
  verifier: '.verifier-sources',
  reference: '.reference-sources',
  guides: '.guides-sources',
} as const;
const VERIFIER_PAGE = 'verify.html';
const REFERENCE = 'docs';
const GUIDES = 'guides';
const REFERENCE_PACKAGE = '@scalar/fastify-api-reference';

/** Whoever needs the console, as tests do, must learn that there is none. */
const isStrict = process.argv.includes('--strict');

const say = (text: string): void => {
  process.stderr.write(`console: ${text}\n`);
};

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
};

const CLIENT = join(PROJECT, 'packages/client/src');
const TYPES = join(CLIENT, 'schema.ts');

const consoleFiles = async (): Promise<string[]> => {
  const own = (await filesIn(CONSOLE)).filter((file) => !/^dist/.test(relative(CONSOLE, file)));
  const others = ['openapi.json', 'package-lock.json', 'tools/api-types.ts'].map((file) => join(PROJECT, file));
  return [...own, ...(await filesIn(CLIENT)), ...others].filter((file) => file !== TYPES);
};

/** The page bundles the engine. */
const verifierFiles = async (): Promise<string[]> => {
  const engine = (await filesIn(join(PROJECT, 'src/engine'))).filter((file) => !file.endsWith('.test.ts'));
  const others = ['tools/bundle.ts', 'package-lock.json'].map((file) => join(PROJECT, file));
  return [...(await filesIn(join(PROJECT, 'verifier'))), ...engine, ...others];
};

/** The reference is the script of a package, and takes longest of all to compress. */
const referenceFiles = (): string[] => {
  const own = join(PROJECT, 'tools/reference.ts');
  return isInstalled(REFERENCE_PACKAGE) ? [own, fileURLToPath(import.meta.resolve(REFERENCE_PACKAGE))] : [own];
};

const guidesFiles = async (): Promise<string[]> => {
  const pages = (await filesIn(join(PROJECT, 'docs'))).filter(
    (file) => !file.startsWith(join(PROJECT, 'docs/decisions')),
  );
  const others = [
    ...['tools/bundle.ts', 'package.json', 'package-lock.json', 'openapi.json', 'CHANGELOG.md'],
    ...['packages/csharp/README.md', 'examples/loot-game/README.md'],
  ];
  return [...pages, ...(await filesIn(join(PROJECT, 'site'))), ...others.map((file) => join(PROJECT, file))];
};

const digestOf = async (files: readonly string[]): Promise<string> => {
  const digest = createHash('sha256');
  for (const file of files) digest.update(`${relative(PROJECT, file)}\0`).update(await readFile(file));
  return digest.digest('hex');
};

interface Digests {
  readonly console: string;
  readonly verifier: string;
  readonly reference: string;
  readonly guides: string;
}

const digestsOfSources = async (): Promise<Digests> => ({
  console: await digestOf(await consoleFiles()),
  verifier: await digestOf(await verifierFiles()),
  reference: await digestOf(referenceFiles()),
  guides: await digestOf(await guidesFiles()),
});

const stampIn = (part: keyof Digests): Promise<string | undefined> =>
  readFile(join(BUILT, STAMPS[part]), 'utf8').catch(() => undefined);

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** The service answers compressed files as they are, so that no request pays for compressing. */
const compress = async (folder: string, quality = constants.BROTLI_MAX_QUALITY): Promise<void> => {
  for (const file of await filesIn(folder)) {
    if (!/\.(?:js|css|json|svg)$/.test(file)) continue;
    const bytes = await readFile(file);
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
    await writeFile(`${file}.br`, await compressBrotli(bytes, { params }));
    await writeFile(`${file}.gz`, await compressGzip(bytes, { level: 9 }));
  }
};

/** The page and its stamp, each put in place when it is whole. */
const buildVerifierIn = async (folder: string, digest: string): Promise<void> => {
  const { buildVerifier } = await import('../verifier/build.ts');
  for (const [name, text] of [
    [VERIFIER_PAGE, await buildVerifier()],
    [STAMPS.verifier, digest],
  ] as const) {
    const fresh = join(folder, `.${name}-${process.pid}`);
    await writeFile(fresh, text);
    await rename(fresh, join(folder, name));
  }
};

/** Of 4 MB, the best quality makes a tenth less than this one, but takes seven times as long. */
const REFERENCE_QUALITY = 9;

const buildReferenceIn = async (folder: string, digest: string): Promise<void> => {
  const target = join(folder, REFERENCE);
  if ((await stampIn('reference')) === digest) await cp(join(BUILT, REFERENCE), target, { recursive: true });
  else {
    const { buildReference } = await import('../tools/reference.ts');
    const { page, script } = await buildReference();
    // Made beside and then put in place, as the rest is.
    const fresh = join(folder, `.${REFERENCE}-${process.pid}`);
    await mkdir(fresh, { recursive: true });
    await writeFile(join(fresh, 'index.html'), page);
    await writeFile(join(fresh, 'scalar.js'), script);
    await compress(fresh, REFERENCE_QUALITY);
    await rm(target, { recursive: true, force: true });
    await rename(fresh, target);
  }
  await writeFile(join(folder, STAMPS.reference), digest);
};

/** Made beside and then put in place, as the rest is. */
const buildGuidesIn = async (folder: string, digest: string): Promise<void> => {
  const { buildSite } = await import('../site/build.ts');
  const fresh = join(folder, `.${GUIDES}-${process.pid}`);
  for (const [path, content] of await buildSite()) {
    await mkdir(dirname(join(fresh, path)), { recursive: true });
    await writeFile(join(fresh, path), content);
  }
  await compress(fresh);
  await rm(join(folder, GUIDES), { recursive: true, force: true });
  await rename(fresh, join(folder, GUIDES));
  await writeFile(join(folder, STAMPS.guides), digest);
};

const build = async (digests: Digests): Promise<void> => {
  const { build: viteBuild } = await import('vite');
  const { apiTypes } = await import('../tools/api-types.ts');
  const document = JSON.parse(await readFile(join(PROJECT, 'openapi.json'), 'utf8'));
  await writeFile(TYPES, apiTypes(document));
  // Built beside and then put in place, so that what is served is always whole.
  const fresh = `${BUILT}-${process.pid}`;
  try {
    await viteBuild({
      configFile: join(CONSOLE, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    });
    await compress(fresh);
    await buildVerifierIn(fresh, digests.verifier);
    await buildReferenceIn(fresh, digests.reference);
    await buildGuidesIn(fresh, digests.guides);
    await writeFile(join(fresh, STAMPS.console), digests.console);
    await rm(BUILT, { recursive: true, force: true });
    await rename(fresh, BUILT);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
};

const buildIfChanged = async (): Promise<void> => {
  const digests = await digestsOfSources();
  const built = await stampIn('console');
  const isConsoleBuilt = built === digests.console;
  const isVerifierBuilt = (await stampIn('verifier')) === digests.verifier;
  const isReferenceBuilt = (await stampIn('reference')) === digests.reference;
  const areGuidesBuilt = (await stampIn('guides')) === digests.guides;
  if (isConsoleBuilt && isVerifierBuilt && isReferenceBuilt && areGuidesBuilt) return;
  if (!isInstalled('vite')) {
    say(
      built === undefined
        ? 'left out, since the packages that build it are not installed; `npm ci` without --omit=dev installs them'
        : 'changed since it was built, and cannot be built anew without the development packages; the old one is served',
    );
    if (isStrict) process.exitCode = 1;
    return;
  }
  say('building, which may take half a minute …');
  const startedAt = performance.now();
  if (isConsoleBuilt) {
    if (!isVerifierBuilt) await buildVerifierIn(BUILT, digests.verifier);
    if (!isReferenceBuilt) await buildReferenceIn(BUILT, digests.reference);
    if (!areGuidesBuilt) await buildGuidesIn(BUILT, digests.guides);
  } else await build(digests);
  say(`built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
};

// The service does its work without a console too, so a build that fails is told and stops nothing.
await buildIfChanged().catch((error: unknown) => {
  say(`could not be built: ${error instanceof Error ? error.stack : String(error)}`);
  if (isStrict) process.exitCode = 1;
});
