import { Box, Group } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { type OptionsById, Swatch, tierColour } from '../../parts/options.tsx';
import { Strong } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import type { EvidenceRow } from './streams.ts';

/** What rows are named after: the live catalog. What it no longer has is shown by its id. */
export interface Known {
  readonly options: OptionsById;
  readonly items: ReadonlyMap<string, Schemas['Item']>;
}

export const rowName = ({ kind, id }: EvidenceRow, { options, items }: Known): string => {
  if (kind === 'featured') return 'Featured items';
  if (kind === 'item') return id === null ? 'All other items' : (items.get(id)?.name ?? id);
  return id === null ? 'Any item' : (options.get(id)?.name ?? id);
};

export const RowName = ({ row, known }: { row: EvidenceRow; known: Known }) => {
  const name = rowName(row, known);
  const isItem = row.kind === 'item';
  return (
    <Group gap={8} wrap="nowrap">
      {isItem ? (
        <Box visibleFrom="sm">
          <Thumbnail name={name} thumbnail={known.items.get(row.id ?? '')?.thumbnail ?? null} size={24} />
        </Box>
      ) : (
        <Swatch colour={tierColour(known.options, row.id)} />
      )}
      <Strong style={{ overflowWrap: 'anywhere' }}>{name}</Strong>
    </Group>
  );
};
