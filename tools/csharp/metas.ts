/** The files beside assets by which Unity knows them. Without them, it ignores what is in an installed package. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'com.itemwright.client';
/** What Unity does not look at, or `dotnet build` leaves behind. */
const IGNORED = /(^\.|~$|\.meta$|^bin$|^obj$)/;

/** The id of an asset: the same whenever it is generated, since scenes refer to it. */
export const guidOf = (path: string): string => createHash('md5').update(`${NAME}/${path}`).digest('hex');

const metaOf = (path: string, isFolder: boolean): string =>
  `fileFormatVersion: 2\nguid: ${guidOf(path)}\n${isFolder ? 'folderAsset: yes\n' : ''}`;

const metasIn = (root: string, folder: string): [string, string][] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !IGNORED.test(name))
    .flatMap((entry): [string, string][] => {
      const path = join(folder, entry.name);
      const own: [string, string] = [`${path}.meta`, metaOf(path, entry.isDirectory())];
      return entry.isDirectory() ? [own, ...metasIn(root, path)] : [own];
    });

/** The text of the file of every asset in the package, and in its samples, which Unity copies into projects. */
export const generateMetas = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...metasIn(root, ''),
    ...readdirSync(join(root, 'Samples~')).flatMap((sample) => metasIn(root, join('Samples~', sample))),
  ]);
