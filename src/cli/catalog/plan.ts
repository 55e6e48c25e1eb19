import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { LIMITS } from '../../shared/limits.ts';
import { CommandError, required } from '../shared.ts';
import type { Plan, Planned } from './api.ts';
import { type CatalogCommand, EXIT, type ExitCode, planLines } from './command.ts';
import { CallError } from './connection.ts';
import { type FolderRequest, readFolder } from './folder.ts';
import type { Service } from './service.ts';
import { formatJson, printable } from './terminal.ts';

/** Issues name entries by their position in a list; people know them by file and name. */
const placeOf = (request: FolderRequest, path: string): string => {
  const [, list = '', index = '', rest = ''] = /^\/body\/([a-z]+)\/(\d+)(.*)$/s.exec(path) ?? [];
  const entries: unknown = (request as Record<string, unknown>)[list];
  if (!Array.isArray(entries)) return path.replace(/^\/body\/?/, '');
  const { id, name } = (entries[Number(index)] ?? {}) as { id?: unknown; name?: unknown };
  const file = list === 'templates' ? 'templates' : `${list}.json`;
  const entry = [name, id].filter((part) => typeof part === 'string').map(String);
  return `${file}, ${entry.length > 0 ? entry.join(' / ') : `entry ${Number(index) + 1}`}${rest === '' ? '' : `, ${rest}`}`;
};

const explained = (error: unknown, folder: string, request: FolderRequest): unknown => {
  if (!(error instanceof CallError) || error.status !== 400 || error.issues.length === 0) return error;
  const lines = error.issues.map(({ path, message }) => printable(`${placeOf(request, path)}: ${message}`));
  return new CommandError([`${folder} is not a valid catalog`, ...lines.map((line) => `  ${line}`)].join('\n'));
};

/** Plans what would make the catalog like a folder. */
export const planFolder = async (service: Service, folder: string, { merge = false }): Promise<Planned> => {
  const request = await readFolder(folder, { merge });
  try {
    return { request, plan: await service.plan(request) };
  } catch (error) {
    throw explained(error, folder, request);
  }
};

export const isFolder = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new CommandError(`there is no ${path}`);
  return found.isDirectory();
};

/** Writes a file that is complete if it is there. */
export const writeWhole = async (path: string, text: string): Promise<void> => {
  const part = `${path}.${process.pid}.part`;
  try {
    await writeFile(part, text);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};

const exitCodeOf = ({ changes, faults }: Plan): ExitCode => {
  if (faults.length > 0) return EXIT.failed;
  return changes.length > 0 ? EXIT.changes : EXIT.done;
};

export const plan: CatalogCommand = {
  argument: 'DIR',
  summary: 'shows what publishing a folder would change, and the odds before and after',
  help: ['The exit code is 0 if there is nothing to do, 2 if there are changes, and 1 if they cannot be published.'],
  examples: ['catalog plan catalog', 'catalog plan catalog -o plan.json'],
  options: ['output', 'merge', 'verbose', 'json'],
  run: async (call) => {
    const { service, options, terminal } = call;
    const folder = required(call.argument, 'DIR', LIMITS.pathLength);
    if (!(await isFolder(folder))) throw new CommandError(`${folder} is not a folder`);
    const planned = await planFolder(service, folder, options);
    if (options.output !== undefined)
      await writeWhole(required(options.output, '-o', LIMITS.pathLength), `${JSON.stringify(planned.plan, null, 2)}\n`);
    if (options.json) terminal.print(formatJson(planned.plan));
    else for (const line of await planLines(call, planned)) terminal.print(line);
    return exitCodeOf(planned.plan);
  },
};
