/** Builds the page that verifies rolls: one file that needs nothing else, whether it is served or opened from a disk. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../tools/bundle.ts';

const VERIFIER = fileURLToPath(new URL('.', import.meta.url));

const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only this very script and this very style may run, and nothing may be fetched or sent. */
const policyOf = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashSource(script)}`,
    `style-src ${hashSource(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** Scripts and styles stand between tags, so they must not contain what would end them. */
const checkInline = (text: string): string => {
  if (/<\/(?:script|style)|<!--/i.test(text)) throw new Error('What is inlined must not contain tags.');
  return `\n${text.trim()}\n`;
};

/** The page as HTML. */
export const buildVerifier = async (): Promise<string> => {
  const page = await readFile(join(VERIFIER, 'index.html'), 'utf8');
  // A player who looks at the source of the page should be able to read it.
  const script = checkInline(await bundle(join(VERIFIER, 'src/main.ts'), { minify: false }));
  const style = checkInline(await readFile(join(VERIFIER, 'src/style.css'), 'utf8'));
  // Functions, since a replacement text may contain `$`.
  return page
    .replace('POLICY', () => policyOf(script, style))
    .replace('/* STYLE */', () => style)
    .replace('/* SCRIPT */', () => script);
};
