import { Badge, Group, ScrollArea } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useOptions } from '../../catalog/reads.ts';
import { type Column, DataTable, figures } from '../../parts/data-table.tsx';
import { formatColumnShare, formatNumber } from '../../parts/format.ts';
import { OptionBadge, type OptionsById } from '../../parts/options.tsx';

type Row = Schemas['ConfigOdds']['items'][number];

const columnsOf = (options: OptionsById): readonly Column<Row>[] => [
  {
    header: 'Item',
    sortBy: ({ itemName }) => itemName,
    cell: ({ itemName, tier, featured }) => (
      <>
        {itemName}
        {(tier !== null || featured) && (
          <Group gap={6} mt={2}>
            {tier !== null && <OptionBadge option={options.get(tier)} />}
            {featured && (
              <Badge variant="filled" color="verdigris">
                featured
              </Badge>
            )}
          </Group>
        )}
      </>
    ),
  },
  figures('Base', ({ base }) => base, formatColumnShare),
  figures('Effective', ({ effective }) => effective, formatColumnShare),
  figures(
    'Mean',
    ({ expectedRolls }) => expectedRolls ?? Number.POSITIVE_INFINITY,
    (mean) => (mean === Number.POSITIVE_INFINITY ? 'never' : formatNumber(mean, 1)),
  ),
];

export const ItemOddsTable = ({ items }: { items: readonly Row[] }) => (
  <ScrollArea.Autosize mah={420} viewportProps={{ tabIndex: 0, 'aria-label': 'Odds of the items' } as object}>
    <DataTable
      label="Odds of the items"
      columns={columnsOf(useOptions())}
      rows={items}
      keyOf={({ itemId }) => itemId}
      sortedBy={{ header: 'Effective' }}
      verticalSpacing={4}
      horizontalSpacing={6}
      miw={380}
      fz="sm"
      stickyHeader
    />
  </ScrollArea.Autosize>
);
