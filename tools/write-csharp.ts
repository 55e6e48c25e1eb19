import { readFile, writeFile } from 'node:fs/promises';
import { generateCsharp } from './csharp/generate.ts';

const ROOT = new URL('../', import.meta.url);
const readJson = async (path: string) => JSON.parse(await readFile(new URL(path, ROOT), 'utf8'));

const { version } = await readJson('package.json');
for (const [path, text] of Object.entries(generateCsharp(await readJson('openapi.json'), version)))
  await writeFile(new URL(`packages/csharp/${path}`, ROOT), text);
