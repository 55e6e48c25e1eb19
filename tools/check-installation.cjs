/**
 * Runs before what needs packages or runs TypeScript, so that an incomplete installation is one line instead of an error
 * from deep inside. It must itself run on any Node.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');

/** npm writes it last. */
const INSTALLED = join(__dirname, '../node_modules/.package-lock.json');

const problem = () => {
  if (!existsSync(INSTALLED)) return 'not all packages are installed; run `npm ci`';
  if (process.features.typescript) return undefined;
  return `it needs Node 24, and this is ${process.version}; run \`npm ci\`, or on macOS and Windows on ARM, install Node 24`;
};

const found = problem();
if (found !== undefined) {
  process.stderr.write(`Itemwright cannot start: ${found}\n`);
  process.exit(1);
}
