import { writeFile } from 'node:fs/promises';
import { describeInterface } from '../test/openapi-document.ts';

await writeFile(new URL('../openapi.json', import.meta.url), await describeInterface());
