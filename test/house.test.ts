import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { TABLES } from '../src/database/tables.ts';

interface Import {
  /** A source file as a path under src, or the name of a package. */
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
  | 'compute'
  | 'catalog'
  | 'check'
  | 'database'
  | 'randomness'
  | 'settings'
  | 'units of work'
  | 'http store'
  | 'client'
  | 'common';

const LAYERS: [RegExp, Layer][] = [
  [/^(main|serve|cli|workers|shared\/log)\.ts$|^cli\/|^(demo|testing)\//, 'start'],
  [/^maintenance\/check\//, 'check'],
  [/^app\.ts$|^maintenance\//, 'app'],
  [/^settings\.ts$/, 'settings'],
  [/^shared\/randomness\.ts$/, 'randomness'],
  [/^shared\//, 'common'],
  [/^engine\//, 'engine'],
  [/^compute\//, 'compute'],
  [/^catalog\//, 'catalog'],
  [
    /^database\/(work|declarations|events|outside|paging|chunks|claims|observer|public-reads|snapshot-reader)\.ts$/,
    'units of work',
  ],
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

/** All that is imported from outside. */
const CLIENT = '../packages/client/src/index.ts';

const layerOf = (path: string): Layer | undefined =>
  path === CLIENT ? 'client' : LAYERS.find(([pattern]) => pattern.test(path))?.[1];
const featureOf = (path: string): string | undefined => /^features\/([a-z-]+)\//.exec(path)?.[1];

/**
 * Which layer may import which. Everything may use `common`. Types have no behaviour, so a few layers may also import
 * types of others: `types`.
 */
const MAY: Record<Layer, { uses: readonly Layer[]; types?: readonly Layer[] }> = {
  // A proof is verified on the command line without a service, by the engine alone; spreadsheets have the members of items.
  start: {
    uses: [
      'start',
      'app',
      'check',
      'settings',
      'service',
      'database',
      'units of work',
      'randomness',
      'engine',
      'catalog',
      'client',
    ],
    types: ['http'],
  },
  // It compares tables with each other, whichever feature owns them.
  check: { uses: ['check', 'service', 'engine', 'catalog', 'units of work'], types: ['database'] },
  app: { uses: ['app', 'routes', 'http', 'service', 'compute', 'units of work'], types: ['settings', 'engine'] },
  routes: { uses: ['service', 'contract', 'http'], types: ['units of work'] },
  // Readiness checks use the database itself; a page of rows becomes a page of a response.
  http: { uses: ['http', 'schemas', 'http store', 'units of work'], types: ['settings'] },
  'http store': { uses: ['units of work'] },
  schemas: { uses: [] },
  contract: { uses: ['contract', 'schemas', 'catalog'] },
  // A configuration is validated against the contract of its type; a seeded run has its own draws.
  service: {
    uses: ['service', 'store', 'presenter', 'engine', 'compute', 'catalog', 'contract', 'randomness', 'units of work'],
  },
  'units of work': { uses: ['units of work'], types: ['database'] },
  // A store returns rows as its contract defines them, and takes cells as the engine names them.
  store: { uses: ['units of work'], types: ['contract', 'engine', 'catalog', 'database'] },
  // A presenter turns rows and results into a response; where they come from is not its concern.
  presenter: { uses: ['presenter', 'engine'], types: ['contract'] },
  engine: { uses: ['engine'] },
  compute: { uses: ['compute', 'engine', 'catalog'] },
  // Runs in a worker: from a catalog and what is wanted of it to the changes, their faults and their odds.
  catalog: { uses: ['catalog', 'engine', 'schemas'] },
  database: { uses: ['database', 'units of work'] },
  randomness: { uses: [], types: ['engine'] },
  // Only the database knows which URLs are valid.
  settings: { uses: ['database'] },
  // Commands on a catalog call a service like any other program.
  client: { uses: [] },
  common: { uses: [] },
};

const ourImports = files.flatMap(({ path, imports }) =>
  imports.filter(({ isOurs, target }) => isOurs && !target.endsWith('.json')).map((found) => ({ path, ...found })),
);
const packageImports = files.flatMap(({ path, imports }) =>
  imports.filter(({ isOurs }) => !isOurs).map((found) => ({ path, ...found })),
);

/** The files that import a package, or a part of it. */
const usersOf = (name: RegExp): string[] =>
  [...new Set(packageImports.filter(({ target }) => name.test(target)).map(({ path }) => path))].sort();

describe('the architecture', () => {
  test('is read completely', () => {
    assert.ok(files.length > 50);
    assert.ok(ourImports.length > 200);
    const known = new Set([...files.map(({ path }) => path), CLIENT]);
    for (const { path, target } of ourImports) assert.ok(known.has(target), `${path} imports ${target}`);
  });

  test('assigns every file to a layer', () => {
    for (const { path } of files) assert.ok(layerOf(path) !== undefined, `${path} belongs to no layer`);
  });

  test('lets each layer import only allowed layers', () => {
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
      // The hash function is pure as well, and an audited one is better than ours.
      const allowed = path === 'engine/fairness/sha256.ts' ? /^(?:engine|@noble\/hashes)\// : /^engine\//;
      for (const { target } of imports) assert.match(target, allowed, `${path} imports ${target}`);
      // Comments may use these words; code must not.
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      assert.doesNotMatch(
        code,
        /\b(async|await|Promise|Date|process|setTimeout|performance|crypto|fetch)\b(?=[\s.(<])/,
        path,
      );
    }
  });

  test('bundles nothing but the engine into the page that verifies rolls', async () => {
    const folder = new URL('../verifier/src/', import.meta.url);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
    assert.ok(names.length > 3);
    for (const name of names) {
      const imports = readImports(`verifier/src/${name}`, await readFile(new URL(name, folder), 'utf8'));
      for (const { target } of imports) assert.match(target, /^(?:verifier\/src|src\/engine)\//, name);
    }
  });

  test('lets the console import nothing but the words that the public page uses, too', async () => {
    const folder = new URL('../console/src/', import.meta.url);
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
    const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
    const imported = texts.flatMap((text) => [
      ...text.matchAll(/from '(?:\.\.\/)+(src\/(?:engine|features)\/[^']+)'/g),
    ]);
    assert.ok(imported.length > 3);
    for (const [, target] of imported) assert.equal(target, 'src/engine/evidence/words.ts');
  });

  test('uses no randomness except draws', () => {
    for (const { path, text } of files) assert.doesNotMatch(text, /Math\.random\s*\(/, path);
  });

  test('keeps Fastify in the routes and in http', () => {
    // Routes only need the type of the app, not the package itself.
    for (const path of usersOf(/^@?fastify\b|^@scalar\//)) assert.ok(/^http\//.test(path), `${path} imports Fastify`);
    assert.ok(usersOf(/^fastify$/).length > 0);
  });

  test('keeps database drivers in the database layer', () => {
    const users = usersOf(/^pg($|\/)|^node:sqlite$/);
    assert.ok(users.length > 1);
    for (const path of users) assert.match(path, /^database\/(postgres|sqlite)\//);
  });

  test('lets contracts import no package except TypeBox', () => {
    const contracts = packageImports.filter(({ path }) => ['contract', 'schemas'].includes(layerOf(path) as Layer));
    assert.ok(contracts.length > 5);
    for (const { path, target } of contracts) assert.equal(target, 'typebox', path);
    // From the common modules, contracts may use only limits, roles and types of events.
    for (const { path, target } of ourImports.filter((found) => layerOf(found.path) === 'contract'))
      if (layerOf(target) === 'common')
        assert.ok(
          ['shared/limits.ts', 'shared/context.ts', 'shared/event-types.ts'].includes(target),
          `${path} imports ${target}`,
        );
  });

  test('gives services a unit of work, never the whole database', () => {
    for (const { path, text } of files.filter((file) => layerOf(file.path) === 'service'))
      assert.doesNotMatch(text, /import (?:type )?\{[^}]*\bDatabase\b[^}]*\} from/, path);
  });

  test('declares lookups and writes only in stores', () => {
    for (const { path, text } of files.filter(
      (file) => !['store', 'http store', 'check'].includes(layerOf(file.path) as Layer),
    )) {
      if (path.startsWith('database/')) continue;
      const [, names = ''] = /import \{([^}]*)\} from '[^']*database\/declarations\.ts'/.exec(text) ?? [];
      const declaring = names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => /^(lookup|locking|\w+(Into|In|From))$/.test(name));
      assert.deepEqual(declaring, [], path);
    }
  });

  test('has no circular imports at run time', () => {
    // Type imports may be circular: they are gone before the first file is loaded.
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

  test('has no circular imports between features, including types', () => {
    const graph = Map.groupBy(
      ourImports.filter(({ path, target }) => featureOf(path) !== undefined && featureOf(target) !== undefined),
      ({ path }) => featureOf(path) as string,
    );
    const done = new Set<string>();
    const walk = (feature: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(feature), `a circle: ${[...trail, feature].join(' → ')}`);
      if (done.has(feature)) return;
      const targets = new Set((graph.get(feature) ?? []).map(({ target }) => featureOf(target) as string));
      for (const target of targets) if (target !== feature) walk(target, [...trail, feature]);
      done.add(feature);
    };
    for (const feature of graph.keys()) walk(feature, []);
  });

  test('has no circular imports in the database, including types', () => {
    const walk = (path: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(path), `a circle: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
      for (const { target } of ourImports.filter(
        (found) => found.path === path && found.target.startsWith('database/'),
      ))
        walk(target, [...trail, path]);
    };
    for (const { path } of files.filter((file) => file.path.startsWith('database/'))) walk(path, []);
  });

  describe('assigns every table to one feature', () => {
    /** Who writes a table, and reads it without being listed below. */
    const OWNERS: Record<string, string> = {
      milestones: 'teams',
      chores: 'database',
      teams: 'teams',
      secrets: 'teams',
      attributes: 'catalog',
      classifiers: 'catalog',
      classifier_options: 'catalog',
      items: 'catalog',
      item_classifiers: 'catalog',
      item_attributes: 'catalog',
      deleted_items: 'catalog',
      templates: 'catalog',
      template_options: 'catalog',
      template_items: 'catalog',
      catalog_versions: 'catalog',
      catalog_changes: 'catalog',
      catalog_drafts: 'catalog',
      snapshots: 'snapshots',
      template_versions: 'snapshots',
      noted_versions: 'snapshots',
      team_keys: 'team-keys',
      log_heads: 'log',
      log_leaves: 'log',
      log_nodes: 'log',
      player_seeds: 'receipts',
      player_receipts: 'receipts',
      users: 'users',
      user_states: 'user-states',
      counter_changes: 'user-states',
      balances: 'balances',
      balance_entries: 'balances',
      grants: 'grants',
      spaces: 'catalog',
      user_spaces: 'user-spaces',
      item_instances: 'item-instances',
      item_instance_history: 'history',
      item_instance_spaces: 'placements',
      user_space_rows: 'placements',
      stored_answers: 'http',
      roll_events: 'rolls',
      events: 'events',
      event_feeds: 'events',
      roll_counts: 'statistics',
      roll_pending: 'statistics',
      roll_evidence: 'evidence',
      evidence_due: 'evidence',
      evidence_streams: 'evidence',
      evidence_frozen: 'evidence',
    };
    /** Who else may read, and why. */
    const READERS: Record<string, readonly string[]> = {
      // The loader reads the whole catalog at one moment, or what has changed since another.
      'compiled-catalog': [
        'teams',
        'attributes',
        'classifiers',
        'classifier_options',
        'items',
        'item_classifiers',
        'item_attributes',
        'spaces',
        'templates',
        'catalog_versions',
        'catalog_changes',
      ],
      // Each kind is read by its own feature, and changed by one for all.
      attributes: ['attributes'],
      classifiers: ['classifiers', 'classifier_options'],
      items: ['items', 'item_attributes', 'item_classifiers', 'classifier_options'],
      spaces: ['spaces'],
      templates: ['templates'],
      // A list of instances includes their placements, in one query, and can be filtered by options of items.
      'item-instances': ['item_instance_spaces'],
      // A list of placements includes the instances, in one query.
      placements: ['item_instances'],
      // Statistics name items, even deleted ones; loading the whole catalog for a few names would be too much.
      statistics: ['items', 'deleted_items'],
      // Teams whose catalog has new versions are found in one query; what was rolled on is kept.
      snapshots: ['teams', 'roll_evidence', 'roll_pending'],
      // Evidence includes rolls that are not added up yet.
      evidence: ['roll_pending'],
      // A check compares tables with each other, and changes nothing.
      maintenance: [
        'events',
        'event_feeds',
        'teams',
        'catalog_versions',
        'catalog_changes',
        'items',
        'item_instance_spaces',
        'item_instances',
        'user_spaces',
        'spaces',
        'user_space_rows',
        'item_instance_history',
        'templates',
        'users',
        'user_states',
        'balances',
        'balance_entries',
        'player_seeds',
        'player_receipts',
        'log_heads',
        'log_leaves',
        'log_nodes',
        'stored_answers',
        'roll_events',
        'roll_counts',
        'roll_pending',
        'roll_evidence',
        'evidence_frozen',
        'snapshots',
      ],
    };
    /** Columns of a table that belong to another feature: the version and size of a catalog are columns of the team. */
    const WRITERS: Record<string, readonly string[]> = {
      catalog: ['teams'],
    };

    const READ = /\b(?:selectFrom|rowsOf|innerJoin|leftJoin|sql\.table)\(\s*'([a-z_]+)/g;
    const WRITE = /\b(?:insertInto|updateTable|deleteFrom|updateIn|upsertInto|ensureIn|locking)\(\s*'([a-z_]+)/g;
    const queriesOf = (pattern: RegExp) =>
      files
        .filter(({ path }) => !path.startsWith('database/'))
        .flatMap(({ path, text }) =>
          [...text.matchAll(pattern)].map(([, table]) => ({
            path,
            feature: featureOf(path) ?? path.split('/')[0],
            table: table as string,
          })),
        )
        // Parts of a statement have names, too.
        .filter(({ table }) => (TABLES as readonly string[]).includes(table));

    test('and only that feature writes it', () => {
      const writes = queriesOf(WRITE);
      assert.ok(writes.length > 30);
      const faults = writes.filter(
        ({ feature = '', table }) => OWNERS[table] !== feature && !WRITERS[feature]?.includes(table),
      );
      assert.deepEqual(faults, []);
    });

    test('and only that feature reads it, with listed exceptions', () => {
      const reads = queriesOf(READ);
      assert.ok(reads.length > 30);
      const faults = reads.filter(
        ({ feature = '', table }) =>
          OWNERS[table] !== feature && !READERS[feature]?.includes(table) && !WRITERS[feature]?.includes(table),
      );
      assert.deepEqual(faults, []);
    });

    test('without leaving any out', () => {
      assert.deepEqual([...TABLES].sort(), Object.keys(OWNERS).sort());
      const used = new Set(
        [...queriesOf(READ), ...queriesOf(WRITE)].map(({ feature, table }) => `${feature} ${table}`),
      );
      const listed = Object.entries(READERS).flatMap(([feature, tables]) =>
        tables.map((table) => `${feature} ${table}`),
      );
      assert.deepEqual(
        listed.filter((one) => !used.has(one)),
        [],
        'listed but unused',
      );
    });
  });
});
