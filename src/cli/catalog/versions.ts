import { LIMITS } from '../../shared/limits.ts';
import { CommandError } from '../shared.ts';
import type { Version } from './api.ts';
import { type CatalogCommand, EXIT, styleOf } from './command.ts';
import { findNames } from './names.ts';
import { formatEffect } from './plan-text.ts';
import { requiredVersion } from './publish.ts';
import { clip, formatJson, padEnd, padStart, printable, widthOf } from './terminal.ts';

/** A time to the second, in UTC. */
const timeOf = (iso: string): string => iso.slice(0, 19).replace('T', ' ');

const HEADER = ['version', 'time (UTC)', 'author', 'source', 'changes', 'message'];
const LONGEST_AUTHOR = 24;

const rowOf = ({ version, createdAt, author, source, changes, message }: Version): string[] => [
  String(version),
  timeOf(createdAt),
  clip(printable(author.name), LONGEST_AUTHOR),
  source,
  String(changes),
  printable(message ?? ''),
];

const isNumber = (column: number): boolean => column === 0 || column === 4;

/** A table of versions; the message gets the room that is left. */
export const formatVersions = (versions: readonly Version[], columns: number): string[] => {
  const rows = [HEADER, ...versions.map(rowOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] as string))));
  const pad = (cell: string, column: number): string =>
    (isNumber(column) ? padStart : padEnd)(cell, widths[column] as number);
  return rows.map((row) => clip(row.map(pad).join('  ').trimEnd(), columns));
};

const readLimit = (text: string | undefined): number => {
  if (text === undefined) return LIMITS.printedVersions;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new CommandError('--limit must be a whole number from 1');
  return Number(text);
};

export const versions: CatalogCommand = {
  summary: 'lists the versions of the catalog, newest first',
  help: [`It lists ${LIMITS.printedVersions} unless --limit says how many.`],
  options: ['limit', 'json'],
  run: async ({ service, options, terminal }) => {
    const found = await service.versions(readLimit(options.limit));
    if (options.json) terminal.print(formatJson(found.versions));
    else if (found.versions.length === 0) terminal.print('There are no versions yet.');
    else for (const line of formatVersions(found.versions, terminal.columns)) terminal.print(line);
    if (found.hasMore && !options.json) terminal.print('… and older ones; --limit N shows more');
    return EXIT.done;
  },
};

export const show: CatalogCommand = {
  argument: 'N',
  summary: 'shows what version N changed, and its odds before and after',
  examples: ['catalog show 12'],
  options: ['verbose', 'json'],
  run: async (call) => {
    const { service, argument, options, terminal } = call;
    const found = await service.version(requiredVersion(argument, 1));
    if (options.json) {
      terminal.print(formatJson(found));
      return EXIT.done;
    }
    const { version, createdAt, author, source, message } = found;
    const head = `Version ${version}, ${timeOf(createdAt)} UTC, by ${printable(author.name)} (${source})`;
    const lines = formatEffect(found, await findNames(found, service), styleOf(call));
    for (const line of [head, ...(message === null ? [] : [`  ${printable(message)}`]), '', ...lines])
      terminal.print(line);
    return EXIT.done;
  },
};
