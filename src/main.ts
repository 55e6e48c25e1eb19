import { serve } from './serve.ts';

// The service has settings instead of options; the command line says so.
if (process.argv.length > 2) {
  const { runCommandLine } = await import('./cli/run.ts');
  process.exitCode = await runCommandLine(['serve', ...process.argv.slice(2)], process);
} else await serve();
