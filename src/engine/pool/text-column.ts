import { buildNumberColumn } from './number-column.ts';

/**
 * Many short texts, by their place. Each is cut out of a longer text when it is asked for: by themselves, a hundred
 * thousand short texts take several times the memory of their characters.
 */
export interface TextColumn {
  /** How many texts there are. */
  readonly length: number;
  at(place: number): string;
}

export interface TextColumnBuilder {
  add(text: string): void;
  /** The texts added so far. Nothing may be added afterwards. */
  finish(): TextColumn;
}

/** Few enough that one text outside Latin-1, which doubles the size of its block, does not double all. */
const BLOCK_BITS = 8;
const TEXTS_A_BLOCK = 2 ** BLOCK_BITS;

export const buildTextColumn = (): TextColumnBuilder => {
  const blocks: string[] = [];
  /** Where each text begins in its block. */
  const starts = buildNumberColumn(Uint32Array);
  let block: string[] = [];
  let blockLength = 0;

  const closeBlock = (): void => {
    // Joining makes one flat text; adding one by one would keep them all.
    blocks.push(block.join(''));
    block = [];
    blockLength = 0;
  };

  return {
    add: (text) => {
      if (block.length === TEXTS_A_BLOCK) closeBlock();
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
    const isLastOfBlock = (next & (TEXTS_A_BLOCK - 1)) === 0 || next === starts.length;
    const block = blocks[place >>> BLOCK_BITS] as string;
    return block.slice(start, isLastOfBlock ? block.length : (starts[next] as number));
  },
});
