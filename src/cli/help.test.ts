import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { Surroundings } from './catalog/terminal.ts';
import { runCommandLine } from './run.ts';

/** What a command prints, and the code that it ends with. */
const run = async (...args: string[]) => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const code = await runCommandLine(args, { stdin, stdout, stderr, env: {} } as unknown as Surroundings);
  for (const stream of [stdout, stderr]) stream.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
};

describe('help', () => {
  test('lists every command in a line, which explains itself with all of its options', async () => {
    const { stdout } = await run('help');
    assert.ok(stdout.split('\n').every((line) => line.length <= 120));
    const [lists = ''] = stdout.split('\nVariables:');
    const names = [...lists.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}[a-z]/gm)].map(([, name]) => name as string);
    assert.ok(names.length >= 20, names.join());
    for (const name of names) {
      const asked = await run('help', ...name.split(' '));
      assert.deepEqual(asked, await run(...name.split(' '), '--help'));
      assert.equal(asked.code, 0);
      const [usage = '', ...lines] = asked.stdout.split('\n');
      assert.ok(usage.startsWith(`Usage: itemwright ${name}`), usage);
      for (const [option] of usage.matchAll(/--?[a-z-]+/g))
        assert.ok(
          lines.some((line) => new RegExp(`^  .*${option}\\b`).test(line)),
          `${name} ${option}`,
        );
    }
  });

  test('is complete in the documentation', async () => {
    const page = (await readFile(new URL('../../docs/reference/commands.md', import.meta.url), 'utf8')).replaceAll(
      '\\|',
      '|',
    );
    const [lists = ''] = (await run('help')).stdout.split('\nVariables:');
    for (const [, name = '', summary = ''] of lists.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}(.*)$/gm)) {
      const [usage = ''] = (await run('help', ...name.split(' '))).stdout.split('\n');
      assert.ok(page.includes(`| \`${usage.replace('Usage: itemwright ', '')}\` | ${summary} |`), usage);
    }
  });

  test('of a word that begins several commands lists them all', async () => {
    const { stdout } = await run('help', 'secret');
    for (const verb of ['create', 'list', 'revoke']) assert.match(stdout, new RegExp(`^  secret ${verb} +[a-z]`, 'm'));
    assert.ok(!stdout.includes('team create'));
  });

  test('says which command was probably meant, and nothing if none was', async () => {
    for (const [typed, meant] of [
      ['sevre', 'serve'],
      ['teams', 'team'],
      ['Backup', 'backup'],
      ['catalogue', 'catalog'],
      ['verfiy', 'verify'],
    ] as const) {
      const { code, stderr } = await run(typed);
      assert.equal(code, 1);
      assert.ok(stderr.startsWith(`itemwright: unknown command '${typed}'\n(Did you mean ${meant}?)\n`), stderr);
      assert.deepEqual(await run('help', typed), { code, stdout: '', stderr });
    }
    for (const typed of ['x', 'frobnicate', 'b'.repeat(10_000)])
      assert.match((await run(typed)).stderr, /^itemwright: unknown command .*\n\(.* help explains all commands\)\n$/);
  });

  const complaintAbout = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [1, '']);
    const [first = '', hint = '', rest] = stderr.split('\n');
    assert.match(first, /^itemwright: unknown (?:option|command) '/);
    return rest === '' ? '' : hint;
  };

  test('says which option was probably meant, wherever it was typed', async () => {
    for (const [args, meant] of [
      [['catalog', 'plan', 'catalog', '--verbos'], '--verbose'],
      [['catalog', '--verbos', 'plan', 'catalog'], '--verbose'],
      [['--verbos', 'catalog', 'plan', 'catalog'], '--verbose'],
      [['--verbos'], '--verbose'],
      [['simulate', '--plyers=5', 'banner'], '--players'],
      [['--plyers=5'], '--players'],
      [['--hlp'], '--help'],
      [['serve', '--hlp'], '--help'],
    ] as const)
      assert.equal(await complaintAbout(...args), `(Did you mean ${meant}?)`, args.join(' '));
    for (const args of [['--json', 'catalog', 'versions'], ['catalog', '--json', 'versions'], ['--players=5']])
      assert.equal(await complaintAbout(...args), '(Options come after the command that they belong to)');
    for (const args of [['-x'], ['--frobnicate'], ['backup', '--port'], ['catalog', '--port']])
      assert.equal(await complaintAbout(...args), '', args.join(' '));
  });

  test('of a setting that was given as an option says how to give it', async () => {
    for (const [args, example] of [
      [['serve', '--port', '9000'], 'PORT=9000 npm run -s itemwright -- serve'],
      [['serve', '--port=9000'], 'PORT=9000 npm run -s itemwright -- serve'],
      [['--port', '9000'], 'PORT=9000 npm run -s itemwright -- serve'],
      [['demo', '--port', '9000'], 'PORT=9000 npm run -s itemwright -- demo'],
      [['serve', '--port'], 'PORT=… npm run -s itemwright -- serve'],
      [['serve', '--log-level', 'warn'], 'LOG_LEVEL=warn npm run -s itemwright -- serve'],
      [['serve', '--database-url', 'postgres://a:b@c/d'], 'DATABASE_URL=… npm run -s itemwright -- serve'],
    ] as const) {
      const [name] = example.split('=');
      assert.equal(await complaintAbout(...args), `(${name} is an environment variable: ${example})`);
    }
    for (const option of ['-p', '--frobnicate', '--__proto__', '--constructor'])
      assert.match(await complaintAbout('serve', option), /^\(Settings are environment variables: .* help serve lists/);
  });

  test('knows a command without its first word, and an option without its dashes', async () => {
    for (const [typed, meant] of [
      ['plan', 'catalog plan'],
      ['versions', 'catalog versions'],
      ['revoke', 'secret revoke'],
      ['create', 'one of team create, secret create'],
      ['version', '--version'],
    ] as const)
      assert.equal(await complaintAbout(typed), `(Did you mean ${meant}?)`);
  });

  test('says what roles may do, and what may run beside the service', async () => {
    assert.match(
      (await run('help', 'catalog', 'plan')).stdout,
      /Every role may read and plan; it must be design, write or admin to publish,\n/,
    );
    assert.match((await run('help', 'backup')).stdout, /\nStop the service for move, and for migrate on SQLite\./);
  });
});
