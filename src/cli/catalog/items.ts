import { LIMITS } from '../../shared/limits.ts';
import { readFile } from '../input.ts';
import { CommandError, countOf, required } from '../shared.ts';
import type { CatalogDocument, Entity, Item, PlanRequest } from './api.ts';
import { type CatalogCall, type CatalogCommand, EXIT } from './command.ts';
import { FORMAT_VERSION } from './folder.ts';
import { itemsFromCsv, itemsToCsv } from './items-csv.ts';
import { writeWhole } from './plan.ts';
import { publishPlanned } from './publish.ts';

/** Standard input or output instead of a file. */
const STREAM = '-';
/** Tells spreadsheet programs that a file is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

export const exportItems: CatalogCommand = {
  argument: 'FILE',
  summary: 'writes all items into a CSV file, for a spreadsheet',
  help: ['FILE may be - for standard output.'],
  examples: ['catalog export items.csv'],
  run: async ({ service, argument, terminal }) => {
    const path = required(argument, 'FILE', LIMITS.pathLength);
    const { document, version } = await service.catalog();
    const text = itemsToCsv(document);
    if (path === STREAM) terminal.write(text);
    else {
      await writeWhole(path, `${BYTE_ORDER_MARK}${text}`);
      terminal.print(`${path}: version ${version}; ${countOf(document.items.length, 'item')}`);
    }
    return EXIT.done;
  },
};

/** Decodes a file. Spreadsheet programs also write other encodings, in which umlauts would become something else. */
export const decodeCsv = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError('the file is not UTF-8: save it as "CSV UTF-8"');
  }
};

const readItems = async ({ terminal }: CatalogCall, path: string, document: CatalogDocument): Promise<Item[]> => {
  const most = LIMITS.catalogBodyBytes;
  const bytes = await (path === STREAM ? terminal.read(most) : readFile(path, most));
  try {
    return itemsFromCsv(decodeCsv(bytes), document);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const [first, ...others] = error.message.split('\n').map((line) => `${path}: ${line}`);
    throw new CommandError([first, ...others].join('\n'));
  }
};

/** Whole items, as changes; as a document if there are more than a request may have. */
const requestFor = (items: readonly Item[]): PlanRequest =>
  items.length > LIMITS.changesPerRequest
    ? { formatVersion: FORMAT_VERSION, items, merge: true }
    : { changes: items.map((item) => ({ kind: 'item', id: item.id, after: item as unknown as Entity })) };

export const importItems: CatalogCommand = {
  argument: 'FILE',
  summary: 'changes and creates items as in a CSV file; shows the plan and asks first',
  help: ['Rows and columns that FILE does not have stay as they are; an empty id makes a new item.'],
  examples: ['catalog import items.csv -m "Swords hit harder"'],
  options: ['message', 'yes', 'verbose', 'json'],
  run: async (call) => {
    const { service, options, terminal } = call;
    const path = required(call.argument, 'FILE', LIMITS.pathLength);
    const { document, version } = await service.catalog();
    const items = await readItems(call, path, document);
    if (items.length === 0 && !options.json) {
      terminal.print(`Nothing to do: the items are as in ${path} already.`);
      return EXIT.done;
    }
    const request = requestFor(items);
    const plan = await service.plan(request);
    // The rest of each item was taken from the catalog that was read first.
    if (plan.baseVersion !== version) throw new CommandError('the catalog was changed in the meantime: import again');
    return publishPlanned(call, { plan, request });
  },
};
