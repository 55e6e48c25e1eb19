/** The scripts, in the shells that they are for. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

const CLI = join(import.meta.dirname, '../cli.ts');

const scriptFor = (shell: string): string =>
  execFileSync(process.execPath, [CLI, 'completion', shell], { encoding: 'utf8' });

const lacks = (shell: string): string | false =>
  spawnSync(shell, ['-c', 'true']).status === 0 ? false : `${shell} is not installed`;

/** A folder with a script and files to complete, one of which looks like an option value. */
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'itemwright-completion-'));
  for (const file of ['items.backup', 'plan.json']) await writeFile(join(folder, file), '');
});
after(() => rm(folder, { recursive: true, force: true }));

describe('completion in bash', { skip: lacks('bash') }, () => {
  before(() => writeFile(join(folder, 'bash'), scriptFor('bash')));

  /** What bash offers for the last word. */
  const offered = (...words: string[]): string[] => {
    const program = `source ./bash; COMP_WORDS=(itemwright "$@"); COMP_CWORD=$#; _itemwright; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const said = execFileSync('bash', ['--norc', '-c', program, 'bash', ...words], { cwd: folder, encoding: 'utf8' });
    return said.split('\n').filter((word) => word !== '');
  };

  test('is registered for the command', () => {
    const said = execFileSync('bash', ['--norc', '-c', 'source ./bash; complete -p itemwright'], { cwd: folder });
    assert.equal(String(said), 'complete -F _itemwright itemwright\n');
  });

  test('offers commands, and the second words of those that have two', () => {
    const all = offered('');
    for (const word of ['serve', 'demo', 'team', 'secret', 'catalog', 'backup', 'audit', 'completion', '--version'])
      assert.equal(all.filter((offer) => offer === word).length, 1, word);
    assert.deepEqual(offered('re'), ['restore']);
    assert.deepEqual(offered('team', ''), ['create', 'list']);
    assert.deepEqual(offered('catalog', 'pu'), ['pull', 'publish']);
    assert.deepEqual(offered('completion', ''), ['bash', 'zsh', '--help']);
    assert.deepEqual(offered('types', ''), ['ts', 'cs', 'gd', '--output', '--folder', '--help']);
    assert.ok(offered('help', '').includes('catalog'));
  });

  test('offers the options of a command only, and the values of an option', () => {
    assert.deepEqual(offered('secret', 'create', '--'), ['--team', '--role', '--name', '--help']);
    assert.deepEqual(offered('secret', 'create', '--team', 'mine', '--r'), ['--role']);
    assert.deepEqual(offered('secret', 'create', '--role', 'a'), ['admin']);
    assert.deepEqual(offered('secret', 'create', '--team', ''), []);
    assert.deepEqual(offered('backup', '--'), ['--force', '--help']);
    assert.deepEqual(offered('nonsense', ''), []);
  });

  test('leaves files to the shell', () => {
    assert.deepEqual(offered('backup', ''), []);
    assert.deepEqual(offered('catalog', 'plan', 'dir', '-o', ''), []);
    assert.match(scriptFor('bash'), /'backup' \| 'backup '\*\) \[\[ \$current == -\* \]\] \|\| compopt -o default/);
  });
});

describe('completion in zsh', { skip: lacks('zsh') }, () => {
  before(() => writeFile(join(folder, '_itemwright'), scriptFor('zsh')));

  /** What a call becomes whose words are typed with a tab after each, in a terminal. */
  const typed = (...words: string[]): string => {
    const setup = `PS1=; fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -d ${folder}/dump; itemwright() { print -r -- "[""$*""]" }; cd ${folder}; print set""up`;
    const program = `zmodload zsh/zpty; zpty shell zsh -f -i
zpty -w shell ${JSON.stringify(setup).replaceAll('$', '\\$')}; zpty -r -m shell out '*setup*'
zpty -w -n shell "$1"; zpty -r -m shell out '*\\[*\\]*'; print -r -- "$out"; zpty -d shell`;
    const keys = `itemwright ${words.map((word) => `${word}\t`).join('')}\n`;
    const said = execFileSync('zsh', ['-f', '-c', program, 'zsh', keys], { encoding: 'utf8', timeout: 60_000 });
    return /\[(.*?)\]/.exec(said)?.[1]?.trim() ?? said;
  };

  test('completes commands, options, values and files', () => {
    assert.equal(typed('tea', 'cr', 'name'), 'team create name');
    assert.equal(typed('secret cr', '--ro', 'adm'), 'secret create --role admin');
    assert.equal(typed('bac', 'it'), 'backup items.backup');
    assert.equal(typed('backup --fo', 'it'), 'backup --force items.backup');
    assert.equal(typed('catalog pla', '-o pla'), 'catalog plan -o plan.json');
  });
});
