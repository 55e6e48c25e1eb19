/**
 * Runs the commands of the documentation. A shell block is pasted into a shell as written, page by page and in order,
 * next to a service that was started with the first command of the README. So a new block is run unless it is listed
 * here: with a test of its own, or with the reason why it cannot be run.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { Language, Parser } from 'web-tree-sitter';
import { pagesOf, readContents } from '../../site/contents.ts';
import { assertTrimmed, blocksOf, isInstalled, PAGES, ROOT, readPage } from '../docs.ts';
import { basic, createEmptyDatabase, type EmptyDatabase } from '../harness.ts';
import { freePort } from '../processes.ts';

/** Blocks that no test runs, each with its page and its first line. */
const NOT_RUN: Record<string, string> = {
  'README.md: npm ci && npm run check': 'takes minutes',
  'CONTRIBUTING.md: npm ci': 'installs packages, watches files without end, and runs this test',
  'CONTRIBUTING.md: npm test': 'runs this test, among others',
  'CONTRIBUTING.md: npm version minor --message "release: %s"': 'release.test.ts does so, in a clone',
  'CONTRIBUTING.md: CRASH_KILLS=1000 CRASH_SEED=7 npm test -- test/operations/crash.test.ts': 'takes hours',
  'test/faults/README.md: CRASH_KILLS=1000 CRASH_SEED=7 npm test -- test/operations/crash.test.ts': 'takes hours',
  'test/faults/README.md: npm run soak': 'takes 40 minutes',
  'bench/README.md: npm run bench': 'takes minutes',
  'bench/README.md: npm test -- test/operations/event-loop.test.ts': 'takes minutes, and is a test itself',
  'docs/guides/events.md: curl -N -u "$ITEMWRIGHT_CREDENTIALS" -H \'accept: text/event-stream\' "$ITEMWRIGHT_URL/events?after=now"':
    'does not end',
  'docs/reference/client.md: npm run client && npm pack ./packages/client':
    'packages/client/test/package.long.test.ts does the same',
  'docs/reference/client.md: npm install PATH_TO_CLONE/itemwright-client-*.tgz':
    'packages/client/test/package.long.test.ts does the same',
};

/** Blocks that tests of their own run: here with something in the place of placeholders, or in other files. */
const RUN_APART: Record<string, string> = {
  'README.md: npm ci && npm start': 'starts the service of this test',
  'README.md: DATABASE_URL=postgres://user:password@host:5432/itemwright npm start': 'below',
  'docs/operate/running.md: npm run -s itemwright -- team create "My game"': 'below',
  'docs/operate/backup.md: npm run -s itemwright -- backup monday.jsonl.gz': 'below',
  'docs/operate/backup.md: npm run -s itemwright -- move --to postgres://user:password@host/itemwright': 'below',
  'docs/operate/backup.md: pg_dump --format=custom --file=monday.dump "$DATABASE_URL"':
    'below, if pg_dump is installed',
  'docs/operate/backup.md: drill=$(mktemp -d)': 'docs-drill.test.ts',
  'docs/operate/running.md: npm pack': 'package.test.ts',
};

/** It has a server of its own, and is read right after the README. */
const TUTORIAL = 'docs/start/tutorial.md';

/** Its blocks are run with the installed package, in `packages/client/test/package.long.test.ts`. */
const CLIENT = 'docs/reference/client.md';
const REQUESTS = 'docs/reference/requests.md';

/** Says in TypeScript what the shell block before it does, so it is compiled, but not run as well. */
const isTab = (block: string): boolean => /\bclient\./.test(block);

/** Languages of code blocks, and what becomes of them. */
const LANGUAGES: Record<string, string> = {
  sh: 'is run',
  ts: 'is compiled, and run unless a shell block does the same',
  json: 'is parsed',
  yaml: 'is parsed',
  js: 'is parsed',
  csharp: 'is parsed',
  gdscript: 'is parsed',
  python: 'is run',
  sql: 'is for Citus, which few machines have',
};

/** Languages without a compiler here, and the grammars that their blocks are parsed with. */
const GRAMMARS = { csharp: 'c_sharp', gdscript: 'gdscript', yaml: 'yaml', js: 'javascript' };

const nameOf = (page: string, block: string): string => {
  const [line = ''] = block.split('\n', 1);
  return `${page}: ${line.replace(/\s+#.*/, '').trim()}`;
};

const blockOf = (name: string): string => {
  const [page = ''] = name.split(': ', 1);
  const block = blocksOf(readPage(page), 'sh').find((text) => nameOf(page, text) === name);
  assert.ok(block !== undefined, `there is no block ${name}`);
  return block;
};

/** What the API reference shows in TypeScript. */
const samplesOfReference = (): string[] => {
  interface Operation {
    readonly 'x-codeSamples': readonly [{ readonly source: string }];
  }
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(readPage('openapi.json'));
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ 'x-codeSamples': [{ source }] }) => source),
  );
};

/** Calls of a client that is there already, each with names of its own. */
const compiledOf = (calls: readonly string[]): string =>
  `import { client } from './tutorial/itemwright.ts';\n\n${calls.map((call) => `{\n${call}\n}\n`).join('')}`;

/** The blocks of a page that are run as they are. */
const pastedFrom = (page: string): string[] =>
  blocksOf(readPage(page), 'sh').filter((block) => {
    const name = nameOf(page, block);
    return !(name in NOT_RUN || name in RUN_APART);
  });

/** In the order in which the site lists them. */
const PASTED = pagesOf(await readContents())
  .map(({ file }) => file)
  .filter((page) => page !== TUTORIAL && PAGES.includes(page) && pastedFrom(page).length > 0);

const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Record<string, string> };

/**
 * A shell that stops at the first failing line or request. Packages are installed already. The command line is started
 * as npm would, which itself takes half as long as the command. Readers look at the log a moment later than a script.
 */
const SHELL = `set -e -o pipefail
curl() { command curl -sS --fail --retry 30 --retry-delay 1 --retry-connrefused "$@" && echo; }
npm() {
  case "$*" in
    ci) ;;
    'run -s itemwright -- '*) shift 4; (cd '${ROOT}'; PATH="$PWD/node_modules/.bin:$PATH"; ${scripts.itemwright} "$@") ;;
    *) (cd '${ROOT}' && command npm "$@") ;;
  esac
}
grep() { sleep 1; command grep "$@"; }
`;

type Environment = Record<string, string>;

const withPaths = (environment: Environment): Environment => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...environment };
};

const paste = async (lines: string, cwd: string, environment: Environment): Promise<string> => {
  const options = { cwd, env: withPaths(environment) };
  return (await promisify(execFile)('bash', ['-c', `${SHELL}${lines}`], options)).stdout;
};

/** Runs lines that do not end on their own; resolves with what they printed once it matches. */
const start = async (lines: string, cwd: string, environment: Environment, until: RegExp) => {
  const child = spawn('bash', ['-c', `${SHELL}${lines}`], { cwd, env: withPaths(environment), detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGTERM');
    await closed;
  };
  for (let left = 600; !until.test(said); left -= 1) {
    if (child.exitCode !== null) assert.fail(`${lines} ended: ${said}`);
    if (left === 0) {
      await stop();
      assert.fail(`${lines} took longer than a minute: ${said}`);
    }
    await delay(100);
  }
  return { said, stop };
};

const majorVersionOf = async (url: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select current_setting('server_version_num')::int / 10000 as major");
    return rows[0].major;
  } finally {
    await client.end();
  }
};

const linesOf = (output: string): string[] => output.split('\n').filter((line) => line !== '');
const jsonOf = (output: string) => JSON.parse(output);

describe('the documentation', () => {
  test('has no block that is neither run nor listed', () => {
    const names = PAGES.flatMap((page) => blocksOf(readPage(page), 'sh').map((block) => nameOf(page, block)));
    for (const name of [...Object.keys(NOT_RUN), ...Object.keys(RUN_APART)])
      assert.equal(names.filter((each) => each === name).length, 1, `${name} is listed, and should be there once`);
    for (const page of PAGES)
      for (const [, space, language = ''] of readPage(page).matchAll(/^( *)```([^\n]+)$/gm)) {
        assert.ok(language in LANGUAGES, `${page} has a block in ${language}`);
        assert.equal(space, '', `${page} has an indented block, which no test finds`);
      }
  });

  test('has samples that are JSON', () => {
    for (const page of PAGES) for (const sample of blocksOf(readPage(page), 'json')) assert.ok(jsonOf(sample), page);
  });

  test('has no syntax errors in C#, GDScript and YAML', async () => {
    await Parser.init();
    const grammars = dirname(fileURLToPath(import.meta.resolve('@cursorless/tree-sitter-wasms/package.json')));
    for (const [language, grammar] of Object.entries(GRAMMARS)) {
      const parser = new Parser().setLanguage(
        await Language.load(join(grammars, 'out', `tree-sitter-${grammar}.wasm`)),
      );
      const hasError = (text: string): boolean => parser.parse(text)?.rootNode.hasError ?? true;
      assert.ok(hasError('foo: [(\n'), `the parser of ${language} finds no error`);
      const blocks = PAGES.flatMap((page) => blocksOf(readPage(page), language).map((text) => ({ page, text })));
      assert.ok(blocks.length > 0, `there is no ${language} any more`);
      for (const { page, text } of blocks) assert.ok(!hasError(text), `${page} has invalid ${language}:\n${text}`);
    }
  });

  test('has Python that computes the published draws', {
    skip: !isInstalled('python3') && 'there is no python3 here',
  }, async () => {
    const blocks = PAGES.flatMap((page) => blocksOf(readPage(page), 'python').map((text) => ({ page, text })));
    assert.deepEqual(
      blocks.map(({ page }) => page),
      ['docs/guides/fairness.md'],
    );
    const folder = await mkdtemp(join(tmpdir(), 'itemwright-python-'));
    try {
      const { proof, blocks: published } = JSON.parse(readPage('test/fixtures/fairness-vectors.json'));
      await writeFile(join(folder, 'proof.json'), JSON.stringify(proof));
      const run = promisify(execFile)('python3', ['-c', blocks[0]?.text ?? ''], { cwd: folder });
      const { stdout } = await run;
      assert.deepEqual(JSON.parse(stdout), published[0].draws);
      assert.ok(readPage('docs/guides/fairness.md').includes(stdout.trim()), 'the page shows what it prints');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('names scripts, files and variables that exist, also where they are not run', () => {
    const known = readPage('CONTRIBUTING.md') + readPage('docs/reference/settings.md');
    for (const page of PAGES) {
      const text = readPage(page);
      for (const [, script = ''] of text.matchAll(/\bnpm\s+run\s+(?:-s\s+)?([a-z][a-z:-]*)/g))
        assert.ok(script in scripts, `${page} has npm run ${script}`);
      for (const [file] of text.matchAll(/(?<![\w/.-])(bench|packages|test|tools)\/[\w/-]+(\.\w+)*\.ts\b/g))
        assert.ok(existsSync(join(ROOT, file)), `${page} names ${file}`);
      for (const block of blocksOf(text, 'sh'))
        for (const [, name] of block.matchAll(/(?:^| )([A-Z][A-Z_]+)=\S+ (?=.*npm )/gm))
          assert.ok(known.includes(`\`${name}\``), `${page} sets ${name}`);
    }
  });
});

const missing = isInstalled('bash', 'curl', 'npm') ? false : 'there is no bash, no curl or no npm here';

describe('the commands of the documentation', { skip: missing }, () => {
  let folder: string;
  let service: Awaited<ReturnType<typeof start>>;
  let address: string;
  let credentials: string;
  let databaseUrl: string;
  let empty: EmptyDatabase;

  /** The environment of a reader with a team of their own: what the first start prints, and the database. */
  const environmentOf = (theirs: string): Environment => ({
    ...{ ITEMWRIGHT_URL: address, ITEMWRIGHT_CREDENTIALS: theirs, DATABASE_URL: databaseUrl },
  });
  const teamOf = ({ ITEMWRIGHT_CREDENTIALS = '' }: Environment): [teamId: string, secret: string] => {
    const [teamId = '', secret = ''] = ITEMWRIGHT_CREDENTIALS.split(':');
    return [teamId, secret];
  };
  const request = async (environment: Environment, path: string, body?: object) => {
    const headers = { authorization: basic(...teamOf(environment)), 'content-type': 'application/json' };
    const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${address}${path}`, { headers, ...options });
    assert.equal(response.status, 200, await response.clone().text());
    return jsonOf(await response.text());
  };
  /** A page names the usual address, and the team by a placeholder. */
  const fill = (text: string, environment: Environment): string =>
    text.replaceAll('http://127.0.0.1:8080', address).replaceAll('--team TEAM_ID', `--team ${teamOf(environment)[0]}`);
  const pastePage = (page: string, environment: Environment): Promise<string> =>
    paste(fill(pastedFrom(page).join(''), environment), folder, environment);

  /** A folder with what a clone has that the examples need, and with the files that readers are told to save. */
  const makeClone = async (): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-docs-'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(join(folder, 'packages/client'), { recursive: true });
    await symlink(join(ROOT, 'packages/client/src'), join(folder, 'packages/client/src'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        include: ['**/*.ts'],
        // Samples name their results and end there.
        compilerOptions: { noUnusedLocals: false },
      }),
    );
    const requests = blocksOf(readPage(REQUESTS), 'ts').filter((block) => !isTab(block));
    await writeFile(join(folder, 'requests.ts'), requests.join('\n'));
    await writeFile(join(folder, 'samples.ts'), compiledOf(samplesOfReference()));
    for (const page of PAGES.filter((each) => each !== TUTORIAL && each !== CLIENT)) {
      const tabs = blocksOf(readPage(page), 'ts').filter((block) => page !== REQUESTS || isTab(block));
      if (tabs.length > 0) await writeFile(join(folder, `${basename(page)}.ts`), compiledOf(tabs));
    }
    await mkdir(join(folder, 'tutorial'));
    for (const text of blocksOf(readPage(TUTORIAL), 'ts')) {
      const [, file] = /^\/\/ (tutorial\/\w+\.ts)\n/.exec(text) ?? [];
      assert.ok(file !== undefined, `a block of the tutorial does not begin with its path: ${text}`);
      await writeFile(join(folder, file), text);
    }
  };

  before(async () => {
    await makeClone();
    databaseUrl = `sqlite:${join(folder, 'data/itemwright.db')}`;
    const port = String(await freePort());
    service = await start(
      `${blockOf('README.md: npm ci && npm start').trimEnd()} > itemwright.log`,
      folder,
      { DATABASE_URL: databaseUrl, PORT: port },
      /export ITEMWRIGHT_CREDENTIALS=.*\n/,
    );
    [, address = '', credentials = ''] =
      /export ITEMWRIGHT_URL=(\S+)\s+export ITEMWRIGHT_CREDENTIALS="(\S+)"/.exec(service.said) ?? [];
    empty = await createEmptyDatabase('postgres');
  });

  after(async () => {
    await service?.stop();
    await empty?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('of the README work for the first team, and show real responses', async () => {
    const page = readPage('README.md');
    const lines = linesOf(await pastePage('README.md', environmentOf(credentials)));
    const [roll, rates] = blocksOf(page, 'json').map(jsonOf);
    assertTrimmed(roll, jsonOf(lines[4] as string));
    assertTrimmed(rates, jsonOf(lines[6] as string));
    assert.match(lines[7] as string, /"secret":/);
  });

  test('in TypeScript have no type errors', async () => {
    await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) =>
      assert.fail(stdout),
    );
  });

  test('of the tutorial lead to pulls that happen once each', async () => {
    const page = readPage(TUTORIAL);
    const [begin = '', exports = '', ...blocks] = blocksOf(page, 'sh');
    assert.equal(begin, blockOf('README.md: npm ci && npm start'));
    assert.deepEqual(
      linesOf(exports),
      [`export ITEMWRIGHT_URL=${address.replace(/\d+$/, '8080')}`, 'export ITEMWRIGHT_CREDENTIALS="TEAM_ID:SECRET"'],
      'these are the lines that the first start prints',
    );
    const environment = environmentOf(credentials);
    const at = blocks.indexOf('npx node tutorial/server.ts\n');
    assert.ok(at > 0);
    const output = linesOf(await paste(blocks.slice(0, at).join(''), folder, environment));
    const { secret, role } = jsonOf(output.at(-1) as string);
    assert.equal(role, 'support');
    const [shown = ''] = /^ssr base.*?(?=^```)/ms.exec(page) ?? [];
    assert.deepEqual(output.slice(-4, -1), linesOf(shown));

    const port = String(await freePort());
    const ofServer = { ITEMWRIGHT_CREDENTIALS: `${teamOf(environment)[0]}:${secret}`, GAME_PORT: port };
    const theirs = { ...environment, ...ofServer };
    const server = await start(blocks[at] as string, folder, theirs, /the game server is ready/);
    try {
      const rest = blocks
        .slice(at + 1)
        .join('')
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);
      const [first, again, second, ...more] = linesOf(await paste(rest, folder, environment)).map(jsonOf);
      assert.equal(first.items.length, 10);
      assert.deepEqual(again, first);
      const [owned, state, rates] = more;
      assert.equal(owned.length, 20);
      assert.deepEqual([state.rolls, state.sinceTop], [20, second.sinceTop]);
      assert.equal(
        rates.reduce((sum: number, { dropCount }: { dropCount: number }) => sum + dropCount, 0),
        20,
      );
    } finally {
      await server.stop();
    }
  });

  // All on the same team: what one page creates must not be in the way of another.
  for (const page of PASTED)
    test(`of ${page} work as written, after those before`, async () => {
      const environment = environmentOf(credentials);
      assert.ok((await pastePage(page, environment)).length > 0);
      if (page === REQUESTS) {
        // The last line of the page sends the roll of its shell block again.
        const output = linesOf(await paste('npx node requests.ts', folder, environment));
        const owned = await request(environment, '/item-instances?userId=reader-1');
        assert.equal(owned.length, 1);
        assert.deepEqual(output, [`${owned[0].id} ${owned[0].item.name}`, owned[0].item.id]);
      }
      if (page === 'docs/guides/inventories.md') {
        const told = await request(environment, '/item-instances/ann-gem/history');
        const [shown] = blocksOf(readPage(page), 'json').map(jsonOf);
        assert.deepEqual(
          told.map((event: object) => ({ ...event, requestId: '', createdAt: '' })),
          shown.map((event: object) => ({ ...event, requestId: '', createdAt: '' })),
        );
      }
    });

  test('that manage teams and secrets work one after another', async () => {
    const block = blockOf('docs/operate/running.md: npm run -s itemwright -- team create "My game"');
    const outputs: { teamId: string; id: string; revoked: string }[] = [];
    for (const line of linesOf(block)) {
      const [team, , secret] = outputs;
      const filled = line.replace('SECRET_ID', secret?.id ?? '').replace('TEAM_ID', team?.teamId ?? '');
      const output = linesOf(await paste(filled, folder, { DATABASE_URL: databaseUrl }));
      assert.equal(output.length, 1);
      outputs.push(jsonOf(output[0] as string));
    }
    assert.equal(outputs[4]?.revoked, outputs[2]?.id);
  });

  test('that back up, restore and move lead to a service on PostgreSQL', async () => {
    const [backup = '', restore = ''] = linesOf(
      blockOf('docs/operate/backup.md: npm run -s itemwright -- backup monday.jsonl.gz').replaceAll(
        'monday',
        `${folder}/monday`,
      ),
    );
    const move = blockOf(
      'docs/operate/backup.md: npm run -s itemwright -- move --to postgres://user:password@host/itemwright',
    );
    const copy = { DATABASE_URL: `sqlite:${join(folder, 'copy.db')}` };
    await paste(backup, folder, { DATABASE_URL: databaseUrl });
    await paste(restore, folder, copy);
    await paste(move.replace(/postgres:\S+/, empty.url), folder, copy);

    const block = blockOf('README.md: DATABASE_URL=postgres://user:password@host:5432/itemwright npm start');
    const port = String(await freePort());
    const moved = await start(block.replace(/postgres:\S+/, empty.url), folder, { PORT: port }, /"listening"/);
    try {
      const [teamId = '', secret = ''] = credentials.split(':');
      const headers = { authorization: basic(teamId, secret) };
      const response = await fetch(`http://127.0.0.1:${port}/item-instances?userId=player-1`, { headers });
      assert.deepEqual(
        await response.json(),
        await request(environmentOf(credentials), '/item-instances?userId=player-1'),
      );
    } finally {
      await moved.stop();
    }
  });

  test('of PostgreSQL dump and restore its database', async (context) => {
    const [dump = '', restore = ''] = linesOf(
      blockOf('docs/operate/backup.md: pg_dump --format=custom --file=monday.dump "$DATABASE_URL"'),
    );
    if (!isInstalled('pg_dump', 'pg_restore')) return context.skip('there is no pg_dump here');
    const major = await majorVersionOf(empty.url);
    const version = (await paste('pg_dump --version', folder, {})).trim();
    if (Number(/\d+/.exec(version)?.[0]) < major) return context.skip(`PostgreSQL ${major} is newer than ${version}`);
    const target = await createEmptyDatabase('postgres');
    try {
      const environment = { DATABASE_URL: empty.url, NEW_DATABASE_URL: target.url };
      await paste(`${dump}\n${restore}`, folder, environment);
      const check = async (url: string): Promise<string> => {
        const output = await paste('npm run -s itemwright -- check', folder, { DATABASE_URL: url });
        return output.replace(/ in .* s\n$/, '');
      };
      const found = await check(target.url);
      assert.match(found, /^no problems found: checked [1-9]/);
      assert.equal(found, await check(empty.url));
    } finally {
      await target.drop();
    }
  });
});
