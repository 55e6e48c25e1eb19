#!/usr/bin/env node
'use strict';
/**
 * The command of the installed package. It must parse on any Node, so that an old one gets an explanation instead of a
 * syntax error: no syntax later than Node 12, and nothing is loaded before the version was checked.
 */
const needed = require('../package.json').engines.node.replace('>=', '');

/** The service does many small, short-lived things, so it gets more room for young objects than Node's default. */
const FLAG = '--max-semi-space-size=16';

function isTooOld() {
  const has = process.versions.node.split('.').map(Number);
  const needs = needed.split('.').map(Number);
  return has[0] < needs[0] || (has[0] === needs[0] && has[1] < needs[1]);
}

/** Node reads such a flag only when it starts, so the process replaces itself, where Node and the system can do that. */
function restartWithFlag() {
  const command = process.argv[2] || 'serve';
  const given = process.execArgv.join(' ') + (process.env.NODE_OPTIONS || '');
  if (command !== 'serve' || given.indexOf('semi-space') !== -1) return;
  if (process.platform === 'win32' || typeof process.execve !== 'function') return;
  const flags = process.execArgv.concat(FLAG);
  const args = [process.execPath].concat(flags, __filename, process.argv.slice(2));
  const emitWarning = process.emitWarning;
  // It is experimental, which is no concern of whoever starts the service.
  process.emitWarning = () => {};
  try {
    process.execve(process.execPath, args, process.env);
  } catch (_error) {
    // The service runs without the flag, too.
  }
  process.emitWarning = emitWarning;
}

if (isTooOld()) {
  process.stderr.write(`itemwright: needs Node ${needed} or later, but this is Node ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  restartWithFlag();
  import('../src/cli.js');
}
