import { LIMITS } from '../../shared/limits.ts';
import { CommandError, countOf, required } from '../shared.ts';
import { type CatalogCommand, EXIT } from './command.ts';
import { FORMAT_VERSION, folderFiles, writeFolder } from './folder.ts';

export const pull: CatalogCommand = {
  argument: 'DIR',
  summary: 'writes the catalog into a folder, for Git: a file per kind, and one per template',
  help: ['Files that are up to date are left alone.'],
  examples: ['catalog pull catalog'],
  run: async ({ service, argument, terminal }) => {
    const folder = required(argument, 'DIR', LIMITS.pathLength);
    const { document, version } = await service.catalog();
    if (document.formatVersion !== FORMAT_VERSION)
      throw new CommandError('the service is newer than this command line: use the one of the same release');
    const { written, removed, unchanged, foreign } = await writeFolder(folder, folderFiles(document));
    for (const path of foreign)
      terminal.note(`itemwright: ${path} is not a template of this catalog, and was left alone`);
    terminal.print(
      `${folder}: version ${version}; ${countOf(written, 'file')} written, ${removed} removed, ${unchanged} unchanged`,
    );
    return EXIT.done;
  },
};
