import { buildNumberColumn } from './number-column.ts';

/**
 * Many short strings by index. Each is cut out of a longer string on access: as separate strings, a hundred thousand
 * take several times the memory of their characters.
 */
export interface TextColumn {
  readonly length: number;
  at(place: number): string;
}

export interface TextColumnBuilder {
  add(text: string): void;
  /** The strings added so far. Nothing may be added afterwards. */
  finish(): TextColumn;
}

/** Small enough that one string outside Latin-1, which doubles the size of its block, does not double everything. */
const BLOCK_BITS = 8;
const STRINGS_PER_BLOCK = 2 ** BLOCK_BITS;

export const buildTextColumn = (): TextColumnBuilder => {
  const blocks: string[] = [];
  /** Start of each string in its block. */
  const starts = buildNumberColumn(Uint32Array);
  let block: string[] = [];
  let blockLength = 0;

  const closeBlock = (): void => {
    // Joining makes one flat string; concatenation would keep all of its parts.
    blocks.push(block.join(''));
    block = [];
    blockLength = 0;
  };

  return {
    add: (text) => {
      if (block.length === STRINGS_PER_BLOCK) closeBlock();
      starts.add(blockLength);
      block.push(text);
      blockLength += text.length;
    },
    finish: () => {
      closeBlock();
      return columnOf(blocks, starts.finish());
    },
  };
};

const columnOf = (blocks: readonly string[], starts: Uint32Array): TextColumn => ({
  length: starts.length,
  at: (place) => {
    const start = starts[place];
    if (start === undefined) throw new RangeError(`There is no text at ${place} of ${starts.length}.`);
    const next = place + 1;
    const isLastOfBlock = (next & (STRINGS_PER_BLOCK - 1)) === 0 || next === starts.length;
    const block = blocks[place >>> BLOCK_BITS] as string;
    return block.slice(start, isLastOfBlock ? block.length : (starts[next] as number));
  },
});
