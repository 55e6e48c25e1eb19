/**
 * Deletes the C headers that come with the installed Node: a third of its size, and used only to compile native add-ons,
 * of which there are none.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../node_modules');

for (const name of await readdir(PACKAGES))
  if (/^node-(?:linux|win)-\w+$/.test(name))
    await rm(join(PACKAGES, name, 'include'), { recursive: true, force: true });
