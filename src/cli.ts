import { runCommandLine } from './cli/run.ts';

// A command finishes what it does even if nobody reads on, as with `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), process);
