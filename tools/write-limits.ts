/** Writes `docs/reference/limits.md`. */
import { writeFile } from 'node:fs/promises';
import { limitsPage } from './limits-page.ts';

await writeFile(new URL('../docs/reference/limits.md', import.meta.url), limitsPage());
