import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { describe, test } from 'node:test';

interface Import {
  /** A file of ours as a path under src, or the name of a package. */
  readonly target: string;
  readonly isOurs: boolean;
  /** `import type` leaves nothing at run time; `import { type … }` leaves an import. */
  readonly isTypeOnly: boolean;
}

interface File {
  readonly path: string;
  readonly imports: readonly Import[];
  readonly text: string;
}

const SOURCE = new URL('../src/', import.meta.url);
const IMPORT =
  /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

const readImports = (path: string, text: string): Import[] =>
  [...text.matchAll(IMPORT)].map(([, type, named, dynamic]) => {
    const specifier = (named ?? dynamic) as string;
    const isOurs = specifier.startsWith('.');
    return {
      target: isOurs ? posix.join(posix.dirname(path), specifier) : specifier,
      isOurs,
      isTypeOnly: type !== undefined,
    };
  });

const readSource = async (): Promise<File[]> => {
  const names = await readdir(SOURCE, { recursive: true });
  const paths = names.map((name) => name.replaceAll('\\', '/')).filter((name) => /(?<!\.test)\.ts$/.test(name));
  return Promise.all(
    paths.sort().map(async (path) => {
      const text = await readFile(new URL(path, SOURCE), 'utf8');
      return { path, text, imports: readImports(path, text) };
    }),
  );
};

const files = await readSource();

type Layer =
  | 'start'
  | 'app'
  | 'routes'
  | 'http'
  | 'schemas'
  | 'contract'
  | 'service'
  | 'store'
  | 'presenter'
  | 'engine'
  | 'database'
  | 'randomness'
  | 'settings'
  | 'unit of work'
  | 'http store'
  | 'common';

const LAYERS: [RegExp, Layer][] = [
  [/^(main|cli|workers|log)\.ts$/, 'start'],
  [/^(app|chores)\.ts$/, 'app'],
  [/^settings\.ts$/, 'settings'],
  [/^randomness\.ts$/, 'randomness'],
  [/^(errors|context|limits|time|shape|digest|ids|recently-used)\.ts$/, 'common'],
  [/^engine\//, 'engine'],
  [/^database\/(deferred|collision|groups|passing)\.ts$/, 'unit of work'],
  [/^database\//, 'database'],
  [/^http\/schemas\.ts$/, 'schemas'],
  [/^http\/[a-z-]+\.store\.ts$/, 'http store'],
  [/^http\//, 'http'],
  [/^features\/[a-z-]+\/[a-z-]+\.routes\.ts$/, 'routes'],
  [/^features\/[a-z-]+\/[a-z-]+\.service\.ts$/, 'service'],
  [/^features\/[a-z-]+\/[a-z-]+\.store\.ts$/, 'store'],
  [/^features\/[a-z-]+\/[a-z-]+\.presenter\.ts$/, 'presenter'],
  [/^features\/[a-z-]+\/[a-z-]+\.contract\.ts$/, 'contract'],
];

const layerOf = (path: string): Layer | undefined => LAYERS.find(([pattern]) => pattern.test(path))?.[1];
const featureOf = (path: string): string | undefined => /^features\/([a-z-]+)\//.exec(path)?.[1];

/**
 * Who may import whom. Everything may use what is common. A type says how something looks and does nothing, so a few
 * layers may know types of others: `types`.
 */
const MAY: Record<Layer, { uses: readonly Layer[]; types?: readonly Layer[] }> = {
  start: { uses: ['start', 'app', 'settings', 'service', 'database', 'randomness'] },
  app: { uses: ['app', 'routes', 'http', 'service'], types: ['settings', 'database', 'engine'] },
  // Routes may let requests share a transaction.
  routes: { uses: ['service', 'contract', 'http', 'unit of work'], types: ['database'] },
  // Readiness asks the database itself; a page of rows is turned into a page of an answer.
  http: { uses: ['http', 'schemas', 'http store'], types: ['settings', 'database'] },
  'http store': { uses: ['database'] },
  schemas: { uses: [] },
  contract: { uses: ['contract', 'schemas'] },
  // A configuration is checked against the contract of its type; a seeded run brings its own draws.
  // It may leave work to the end of its transaction, and ask for the transaction to be run again.
  service: {
    uses: ['service', 'store', 'presenter', 'engine', 'contract', 'randomness', 'unit of work'],
    types: ['database'],
  },
  'unit of work': { uses: [], types: ['database'] },
  // A store answers rows in the words of its contract, and takes cells as the engine names them.
  store: { uses: ['database'], types: ['contract', 'engine'] },
  // A presenter turns rows and results into the words of a response; where they come from is not its business.
  presenter: { uses: ['presenter', 'engine'], types: ['contract'] },
  engine: { uses: ['engine'] },
  database: { uses: ['database', 'unit of work'] },
  randomness: { uses: [], types: ['engine'] },
  // What makes sense as the address of a database is known to the database alone.
  settings: { uses: ['database'] },
  common: { uses: [] },
};

const ourImports = files.flatMap(({ path, imports }) =>
  imports.filter(({ isOurs }) => isOurs).map((found) => ({ path, ...found })),
);
const packageImports = files.flatMap(({ path, imports }) =>
  imports.filter(({ isOurs }) => !isOurs).map((found) => ({ path, ...found })),
);

/** The files that import a package, or a part of it. */
const usersOf = (name: RegExp): string[] =>
  [...new Set(packageImports.filter(({ target }) => name.test(target)).map(({ path }) => path))].sort();

describe('the house', () => {
  test('is read as a whole', () => {
    assert.ok(files.length > 50);
    assert.ok(ourImports.length > 200);
    const known = new Set(files.map(({ path }) => path));
    for (const { path, target } of ourImports) assert.ok(known.has(target), `${path} imports ${target}`);
  });

  test('gives every file a place and a role', () => {
    for (const { path } of files) assert.ok(layerOf(path) !== undefined, `${path} has no place in the house`);
  });

  test('lets each layer import only what lies below it', () => {
    const faults = ourImports.flatMap(({ path, target, isTypeOnly }) => {
      const [from, to] = [layerOf(path) as Layer, layerOf(target) as Layer];
      const { uses, types = [] } = MAY[from];
      const isAllowed = to === 'common' || uses.includes(to) || (isTypeOnly && types.includes(to));
      return isAllowed ? [] : [`${path} (${from}) imports ${isTypeOnly ? 'types of ' : ''}${target} (${to})`];
    });
    assert.deepEqual(faults, []);
  });

  test("keeps a feature out of another feature's store and routes", () => {
    const faults = ourImports.filter(({ path, target }) => {
      const other = featureOf(target);
      if (other === undefined || featureOf(path) === undefined || other === featureOf(path)) return false;
      return !['service', 'contract'].includes(layerOf(target) as Layer);
    });
    assert.deepEqual(faults, []);
  });

  test('keeps the engine pure', () => {
    for (const { path, imports, text } of files.filter((file) => file.path.startsWith('engine/'))) {
      for (const { target } of imports) assert.match(target, /^engine\//, `${path} imports ${target}`);
      // Comments may use the words; the code may not.
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      assert.doesNotMatch(
        code,
        /\b(async|await|Promise|Date|process|setTimeout|performance|crypto|fetch)\b(?=[\s.(<])/,
        path,
      );
    }
  });

  test('takes no chance but by draws', () => {
    for (const { path, text } of files) assert.doesNotMatch(text, /Math\.random\s*\(/, path);
  });

  test('keeps Fastify in the routes and in http', () => {
    // Routes know it through the type of the app; none of them needs the package itself.
    for (const path of usersOf(/^@?fastify\b|^@scalar\//)) assert.ok(/^http\//.test(path), `${path} knows Fastify`);
    assert.ok(usersOf(/^fastify$/).length > 0);
  });

  test('keeps drivers in the database', () => {
    const users = usersOf(/^pg($|\/)|^node:sqlite$/);
    assert.deepEqual(users, ['database/postgres.ts', 'database/sqlite.ts']);
  });

  test('lets contracts know TypeBox and nothing else from outside', () => {
    const contracts = packageImports.filter(({ path }) => ['contract', 'schemas'].includes(layerOf(path) as Layer));
    assert.ok(contracts.length > 5);
    for (const { path, target } of contracts) assert.equal(target, 'typebox', path);
    // And contracts know of the common parts only numbers and words.
    for (const { path, target } of ourImports.filter((found) => layerOf(found.path) === 'contract'))
      if (layerOf(target) === 'common')
        assert.ok(['limits.ts', 'context.ts'].includes(target), `${path} imports ${target}`);
  });

  test('gives services a transaction and never the whole database', () => {
    for (const { path, text } of files.filter((file) => layerOf(file.path) === 'service'))
      assert.doesNotMatch(text, /import type \{[^}]*\bDatabase\b[^}]*\} from/, path);
  });

  test('has no circles of imports that exist at run time', () => {
    // Types may point back at those who use them: they are gone before the first file is loaded.
    const graph = new Map(
      files.map(({ path, imports }) => [
        path,
        imports.filter(({ isOurs, isTypeOnly }) => isOurs && !isTypeOnly).map(({ target }) => target),
      ]),
    );
    const done = new Set<string>();
    const walk = (path: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(path), `a circle: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
      if (done.has(path)) return;
      for (const target of graph.get(path) ?? []) walk(target, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) walk(path, []);
  });

  test('has no circles between features, types included', () => {
    // Contracts may name each other's shapes, as a rolled item names an item; what acts may not go in circles.
    const graph = Map.groupBy(
      ourImports.filter(({ path, target }) => layerOf(path) === 'service' && layerOf(target) === 'service'),
      ({ path }) => featureOf(path) as string,
    );
    const walk = (feature: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(feature), `a circle: ${[...trail, feature].join(' → ')}`);
      const targets = new Set((graph.get(feature) ?? []).map(({ target }) => featureOf(target) as string));
      for (const target of targets) if (target !== feature) walk(target, [...trail, feature]);
    };
    for (const feature of graph.keys()) walk(feature, []);
  });
});
