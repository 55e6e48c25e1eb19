import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import type { Draws } from '../../src/engine/random.ts';
import type { Did } from './trace.ts';

type Change = { readonly type: 'write'; readonly offset: number; readonly bytes: Buffer } | Truncation;
type Truncation = { readonly type: 'truncate'; readonly length: number };
/** A directory entry that now refers to a file or folder, or to nothing. */
type Entry = { readonly name: string; readonly inode: Inode | undefined };

/** A file or folder: its content that is certainly on disk, and later changes, any of which may be. */
interface File {
  readonly type: 'file';
  content: Buffer;
  changes: Change[];
  /** How many changes have been applied to `content`. */
  settled: number;
}
interface Folder {
  readonly type: 'folder';
  content: Map<string, Inode>;
  changes: Entry[];
  settled: number;
}
type Inode = File | Folder;

const newFile = (): File => ({ type: 'file', content: Buffer.alloc(0), changes: [], settled: 0 });
const newFolder = (): Folder => ({ type: 'folder', content: new Map(), changes: [], settled: 0 });

/** Whether a change reached the disk, by its position among the unsynced ones, its sector and its file. */
type Reached = (index: number, sector: number, inode: Inode) => boolean;

/** What a power cut leaves of the changes that were not synced. */
export const REMAINS = [
  'nothing',
  'everything',
  'a beginning',
  'some writes',
  'some sectors of 512 bytes',
  'some sectors of 4 KiB',
] as const;
export type Remains = (typeof REMAINS)[number];
const SECTOR_BYTES = { 'some sectors of 512 bytes': 512, 'some sectors of 4 KiB': 4096 } as const;
/** The length of a file, and an entry of a folder, reach the disk independently of everything else. */
const LENGTH = -1;

const chooseReached = (remains: Remains, draws: Draws): Reached => {
  const share = [0.1, 0.5, 0.9][Math.floor(draws() * 3)] as number;
  if (remains === 'nothing') return () => false;
  if (remains === 'everything') return () => true;
  const chosen = new Map<Inode, Map<number, number>>();
  const once = (inode: Inode, key: number, choose: () => number): number => {
    const ofInode = chosen.get(inode) ?? new Map<number, number>();
    chosen.set(inode, ofInode);
    const value = ofInode.get(key) ?? choose();
    ofInode.set(key, value);
    return value;
  };
  if (remains === 'some writes') return (index, _, inode) => once(inode, index, draws) < share;
  // A sector is written as it is at some moment: with all earlier changes, and no later ones.
  return (index, sector, inode) => {
    const until = () => (draws() < share ? inode.changes.length : Math.floor(draws() * (inode.changes.length + 1)));
    return index < once(inode, remains === 'a beginning' ? 0 : sector, until);
  };
};

const endOf = (change: Change): number =>
  change.type === 'write' ? change.offset + change.bytes.length : change.length;

const fileWith = (file: File, sectorBytes: number, reached: Reached): Buffer => {
  const { content, changes } = file;
  const bytes = Buffer.alloc(changes.reduce((most, change) => Math.max(most, endOf(change)), content.length));
  content.copy(bytes);
  let { length } = content;
  for (const [index, change] of changes.entries()) {
    const end = change.type === 'write' ? endOf(change) : bytes.length;
    for (let at = change.type === 'write' ? change.offset : change.length; at < end; ) {
      const sector = Math.floor(at / sectorBytes);
      const next = Math.min(end, (sector + 1) * sectorBytes);
      if (reached(index, sector, file)) {
        if (change.type === 'write') change.bytes.copy(bytes, at, at - change.offset, next - change.offset);
        else bytes.fill(0, at, next);
      }
      at = next;
    }
    if (reached(index, LENGTH, file)) length = change.type === 'write' ? Math.max(length, end) : change.length;
  }
  return bytes.subarray(0, length);
};

const settleChanges = (inode: Inode, count: number): void => {
  const settled = inode.changes.slice(0, count);
  if (inode.type === 'folder') {
    for (const { name, inode: named } of settled as Entry[])
      if (named === undefined) inode.content.delete(name);
      else inode.content.set(name, named);
  } else if (count > 0) {
    inode.content = fileWith({ ...inode, changes: settled as Change[] }, Number.MAX_SAFE_INTEGER, () => true);
  }
  inode.changes = inode.changes.slice(count) as Change[] & Entry[];
  inode.settled += count;
};

/** The files that a power cut leaves, by path; a folder has no content. */
export type Image = Map<string, Buffer | undefined>;

/**
 * What is guaranteed to be on a disk. A write is certain once it was synced by a sync that began after the write and is
 * done. Directory entries are no different: a new file that was synced itself is still lost unless its folder was
 * synced.
 */
export const createDisk = (root: string) => {
  const top = newFolder();
  let open = new Map<number, Inode>();
  /** For each thread that is syncing: what it syncs, and how many changes were made before. */
  let syncs = new Map<number, { inode: Inode; covers: number }>();

  const now = (folder: Folder, name: string): Inode | undefined => {
    const last = folder.changes.findLast((entry) => entry.name === name);
    return last === undefined ? folder.content.get(name) : last.inode;
  };
  const find = (path: string): Inode | undefined => {
    if (path === root) return top;
    const folder = find(dirname(path));
    return folder?.type === 'folder' ? now(folder, basename(path)) : undefined;
  };
  const enter = (path: string, inode: Inode | undefined): void => {
    const folder = find(dirname(path));
    assert.ok(folder?.type === 'folder', `${path} lies in no folder`);
    if (inode !== undefined || now(folder, basename(path)) !== undefined)
      folder.changes.push({ name: basename(path), inode });
  };
  const fileOf = (fd: number): File => {
    const file = open.get(fd);
    assert.ok(file?.type === 'file', `descriptor ${fd} is no file`);
    return file;
  };

  return {
    /** Another process continues with the same disk, or with what the last one left in memory. */
    nextProcess: (): void => {
      open = new Map();
      syncs = new Map();
    },
    apply: ({ kind, fd, offset, bytes, thread }: Did): void => {
      const path = bytes.toString();
      if (kind === 'open' || kind === 'create') {
        // A killed process may have created the file without a record of it.
        const found = kind === 'open' ? find(path) : undefined;
        const inode = found ?? newFile();
        if (found === undefined) enter(path, inode);
        open.set(fd, inode);
      } else if (kind === 'close') open.delete(fd);
      else if (kind === 'write') fileOf(fd).changes.push({ type: 'write', offset, bytes });
      else if (kind === 'truncate') fileOf(fd).changes.push({ type: 'truncate', length: offset });
      else if (kind === 'unlink') enter(path, undefined);
      else if (kind === 'make folder') enter(path, newFolder());
      else if (kind === 'sync begins') {
        const inode = open.get(fd);
        assert.ok(inode !== undefined, `descriptor ${fd} is synced and not open`);
        syncs.set(thread, { inode, covers: inode.settled + inode.changes.length });
      } else {
        const sync = syncs.get(thread);
        assert.ok(sync !== undefined, 'a sync ended that never began');
        syncs.delete(thread);
        // Another sync of the same file, which began later, may already be done.
        settleChanges(sync.inode, Math.max(0, sync.covers - sync.inode.settled));
      }
    },
    /** What is left if the power is cut now. */
    cut: (remains: Remains, draws: Draws): Image => {
      const reached = chooseReached(remains, draws);
      const image: Image = new Map();
      const sectorBytes = SECTOR_BYTES[remains as keyof typeof SECTOR_BYTES] ?? Number.MAX_SAFE_INTEGER;
      const add = (path: string, inode: Inode): void => {
        if (inode.type === 'file') {
          image.set(path, fileWith(inode, sectorBytes, reached));
          return;
        }
        image.set(path, undefined);
        const names = new Map(inode.content);
        const places = [...new Set(inode.changes.map(({ name }) => name))];
        for (const [index, { name, inode: named }] of inode.changes.entries()) {
          if (!reached(index, places.indexOf(name), inode)) continue;
          if (named === undefined) names.delete(name);
          else names.set(name, named);
        }
        for (const [name, named] of names) add(`${path}/${name}`, named);
      };
      add(root, top);
      return image;
    },
  };
};

export type Disk = ReturnType<typeof createDisk>;
