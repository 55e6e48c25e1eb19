/**
 * `npm run release`: packs the service and the client, and shows what publishing them would do. With `-- --publish`, it
 * publishes both, from a clean clone at the tag of the version only. With `--check`, as `npm publish` runs it, it says
 * whether this is one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../src/shared/program.ts';

const ROOT = join(import.meta.dirname, '..');
const shell = process.platform === 'win32';

const run = (...[program = '', ...args]: string[]): void => {
  execFileSync(program, args, { cwd: ROOT, stdio: 'inherit', shell });
};

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** Says why what is here is not the release, if so. */
const refusal = (): string | undefined => {
  if (!existsSync(join(ROOT, '.git'))) return 'this is not a clone';
  if (git('status', '--porcelain', '--untracked-files=no') !== '') return 'there are changes that are not committed';
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${VERSION}`)) return `this is not the tag v${VERSION}`;
  return undefined;
};

const { values } = parseArgs({
  options: { publish: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
});
const reason = refusal();
if ((values.publish || values.check) && reason !== undefined) {
  process.stderr.write(`itemwright: not published: ${reason}\n`);
  process.exitCode = 1;
} else if (!values.check) {
  run('npm', 'pack', '--loglevel=error');
  run(process.execPath, 'tools/build-client.ts');
  run('npm', 'pack', '--loglevel=error', './packages/client');
  for (const name of ['itemwright', 'itemwright-client'])
    run('npm', 'publish', '--loglevel=notice', ...(values.publish ? [] : ['--dry-run']), `./${name}-${VERSION}.tgz`);
  if (!values.publish)
    process.stdout.write(
      reason === undefined
        ? 'Nothing was published: run `npm run release -- --publish`.\n'
        : `Nothing was published, and nothing could be: ${reason}.\n`,
    );
}
