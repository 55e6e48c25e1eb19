import { dirname } from 'node:path';

/** A script for browsers, with everything that it imports, as one text. */
export const bundle = async (entry: string, { minify }: { minify: boolean }): Promise<string> => {
  const { build } = await import('vite');
  const built = await build({
    root: dirname(entry),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      target: 'es2023',
      minify,
      modulePreload: false,
      rolldownOptions: { input: entry, output: { format: 'iife' } },
    },
  });
  if (!Array.isArray(built) && !('output' in built)) throw new Error('The build watches instead of ending.');
  const [script, ...others] = [built].flat().flatMap(({ output }) => output);
  if (script?.type !== 'chunk' || others.length > 0) throw new Error('The build must give a single script.');
  return script.code;
};
