#!/usr/bin/env node
/**
 * Runs a command and exits as it does. A POSIX shell never gets here: its own `exec` replaces the shell by the command,
 * so that signals sent to npm reach the service. The shell of Windows has no such word, and finds this one instead.
 */
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' }).on('exit', (code) => {
  process.exitCode = code ?? 1;
});
