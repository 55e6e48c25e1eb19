/** Reads what a command is given, up to a limit: whatever it is by mistake, the command ends. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CommandError, formatCount } from './shared.ts';

/** Opens a file to read it. Devices and pipes are rejected, rather than read without end or waited for. */
export const openFile = async (path: string): Promise<FileHandle> => {
  // Otherwise, opening a named pipe would wait until somebody writes to it. Windows has neither.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat();
    if (found.isFile()) return file;
    throw new CommandError(`${path} is ${found.isDirectory() ? 'a directory' : 'not a regular file'}`);
  } catch (error) {
    await file.close();
    throw error;
  }
};

const tooLong = (name: string, most: number): CommandError =>
  new CommandError(`${name} is longer than ${formatCount(most)} bytes`);

/** Reads a stream to its end; fails once it has more than `most` bytes. */
export const readStream = async (stream: AsyncIterable<Buffer>, name: string, most: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > most) throw tooLong(name, most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Reads a file; fails if it has more than `most` bytes, also if it only grows to that meanwhile. */
export const readFile = async (path: string, most: number): Promise<Buffer> => {
  const file = await openFile(path);
  try {
    if ((await file.stat()).size > most) throw tooLong(path, most);
    return await readStream(file.createReadStream({ autoClose: false }), path, most);
  } finally {
    await file.close();
  }
};

/** The same, as text. */
export const readText = async (path: string, most: number): Promise<string> => (await readFile(path, most)).toString();
