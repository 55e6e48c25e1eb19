import { readFile, writeFile } from 'node:fs/promises';
import { apiTypes } from './api-types.ts';

const document = JSON.parse(await readFile(new URL('../openapi.json', import.meta.url), 'utf8'));
await writeFile(new URL('../packages/client/src/schema.ts', import.meta.url), apiTypes(document));
