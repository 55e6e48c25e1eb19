/** Builds the package of the client: generated types, then JavaScript and declarations in `packages/client/dist`. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const BUILT = join(ROOT, 'packages/client/dist');

await import('./write-api-types.ts');
await rm(BUILT, { recursive: true, force: true });
execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'packages/client'], { cwd: ROOT, stdio: 'inherit' });

// The compiler rewrites imports in JavaScript only, and not every tool finds declarations by the names of sources.
for (const name of globSync('*.d.ts', { cwd: BUILT })) {
  const text = await readFile(join(BUILT, name), 'utf8');
  await writeFile(join(BUILT, name), text.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
}
