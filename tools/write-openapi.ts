/** Writes `openapi.json`; with `--examples`, first records the examples that it contains. */
import { writeFile } from 'node:fs/promises';
import { currentExamples, describeApi, EXAMPLES_FILE } from '../test/openapi-document.ts';

if (process.argv.includes('--examples'))
  await writeFile(EXAMPLES_FILE, `${JSON.stringify(await currentExamples('sqlite'), null, 2)}\n`);
else await writeFile(new URL('../openapi.json', import.meta.url), await describeApi());
