import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateCsharp } from './csharp/generate.ts';
import { generateMetas } from './csharp/metas.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = join(ROOT, 'packages/csharp');
const readJson = async (path: string) => JSON.parse(await readFile(join(ROOT, path), 'utf8'));

const { version } = await readJson('package.json');
const sources = generateCsharp(await readJson('openapi.json'), version);
for (const [path, text] of Object.entries(sources)) await writeFile(join(PACKAGE, path), text);
for (const [path, text] of Object.entries(generateMetas(PACKAGE))) await writeFile(join(PACKAGE, path), text);
