import { Badge, Group, ScrollArea, Table } from '@mantine/core';
import type { Schemas } from '../../interface/client.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { formatColumnShare, formatNumber } from '../../parts/format.ts';
import { OptionBadge } from '../../parts/option-badge.tsx';
import { SortHeader, useSorting } from '../../parts/sorting.tsx';

type Row = Schemas['ConfigOdds']['items'][number];

const COLUMNS = {
  name: ({ itemName }: Row) => itemName,
  base: ({ base }: Row) => base,
  effective: ({ effective }: Row) => effective,
  expected: ({ expectedRolls }: Row) => expectedRolls ?? Number.POSITIVE_INFINITY,
};

interface ItemOddsTableProps {
  readonly items: readonly Row[];
  readonly options: ReadonlyMap<string, KnownOption>;
}

export const ItemOddsTable = ({ items, options }: ItemOddsTableProps) => {
  const { sorted, sorting } = useSorting(items, COLUMNS, 'effective');
  return (
    <ScrollArea.Autosize mah={420} viewportProps={{ tabIndex: 0, 'aria-label': 'Odds of the items' } as object}>
      <Table verticalSpacing={4} horizontalSpacing={6} miw={380} fz="sm" stickyHeader aria-label="Odds of the items">
        <Table.Thead>
          <Table.Tr>
            <SortHeader sorting={sorting} column="name">
              Item
            </SortHeader>
            <SortHeader sorting={sorting} column="base" isNumeric>
              Base
            </SortHeader>
            <SortHeader sorting={sorting} column="effective" isNumeric>
              Effective
            </SortHeader>
            <SortHeader sorting={sorting} column="expected" isNumeric>
              Mean
            </SortHeader>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map(({ itemId, itemName, tier, featured, base, effective, expectedRolls }) => (
            <Table.Tr key={itemId}>
              <Table.Td>
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
              </Table.Td>
              <Table.Td ta="right">{formatColumnShare(base)}</Table.Td>
              <Table.Td ta="right">{formatColumnShare(effective)}</Table.Td>
              <Table.Td ta="right">
                {expectedRolls === null ? 'never' : formatNumber(Number(expectedRolls.toFixed(1)))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
};
