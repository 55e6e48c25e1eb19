import { LIMITS } from '../../shared/limits.ts';
import { readText } from '../input.ts';
import { CommandError, countOf, required } from '../shared.ts';
import { type CatalogCall, type CatalogCommand, EXIT } from './command.ts';
import { constantsOf } from './constants.ts';
import { type FolderRequest, readFolder } from './folder.ts';
import { codeOf, LANGUAGES } from './languages.ts';
import { writeWhole } from './plan.ts';

const NAMES = Object.keys(LANGUAGES);

const isLanguage = (text: string): text is keyof typeof LANGUAGES => Object.hasOwn(LANGUAGES, text);

const readCatalog = async (call: CatalogCall): Promise<FolderRequest> =>
  call.options.folder === undefined
    ? (await call.service.catalog()).document
    : readFolder(required(call.options.folder, '--folder', LIMITS.pathLength), { merge: false });

/** A file that has not changed is left alone, so that nothing is built again because of it. */
const writeIfChanged = async (path: string, text: string): Promise<boolean> => {
  const present = await readText(path, LIMITS.catalogFileBytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (present === text) return false;
  await writeWhole(path, text);
  return true;
};

export const types: CatalogCommand = {
  argument: NAMES.join('|'),
  summary: "prints the catalog's ids as constants for the game's code: TypeScript, C# or GDScript",
  help: [
    'There are constants for items, attributes, classifiers, their options, templates and spaces. They are called like the',
    'ids, or like the names of what has an id that the service made up. If several would be called the same, or a name has',
    'no letters from A to Z, part of a digest of the id is added.',
    'With --folder, it needs no service.',
  ],
  examples: ['types ts -o src/ids.ts', 'types gd --folder catalog -o ids.gd'],
  options: ['output', 'folder'],
  run: async (call) => {
    const { options, terminal } = call;
    const language = required(call.argument, 'the language');
    if (!isLanguage(language)) throw new CommandError(`the language must be one of ${NAMES.join(', ')}`);
    const groups = constantsOf(await readCatalog(call));
    const code = codeOf(groups, language);
    if (options.output === undefined) {
      terminal.write(code);
      return EXIT.done;
    }
    const path = required(options.output, '-o', LIMITS.pathLength);
    const isNew = await writeIfChanged(path, code);
    const count = groups.reduce((sum, { constants }) => sum + constants.length, 0);
    terminal.print(`${path}: ${countOf(count, 'constant')}${isNew ? '' : ', unchanged'}`);
    return EXIT.done;
  },
};
