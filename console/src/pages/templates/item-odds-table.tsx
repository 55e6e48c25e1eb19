import { memo, useMemo } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useOptions } from '../../catalog/reads.ts';
import { formatColumnShare, formatNumber } from '../../parts/format.ts';
import { type OptionsById, tierColour } from '../../parts/options.tsx';
import { type VirtualColumn, VirtualTable } from '../../parts/virtual-table.tsx';
import classes from './item-odds-table.module.css';

type Row = Schemas['ConfigOdds']['items'][number];

const columnsOf = (options: OptionsById): readonly VirtualColumn<Row>[] => [
  {
    header: 'Item',
    sortBy: ({ itemName }) => itemName,
    cell: ({ itemName, tier, featured }) => (
      <span className={classes.item}>
        <span className={classes.name} title={itemName}>
          {itemName}
        </span>
        {tier !== null && (
          <span className={classes.tier}>
            <i className={classes.dot} style={{ background: tierColour(options, tier) }} />
            {options.get(tier)?.name ?? tier}
          </span>
        )}
        {featured && <span className={classes.featured}>featured</span>}
      </span>
    ),
  },
  { header: 'Base', isNumber: true, sortBy: ({ base }) => base, cell: ({ base }) => formatColumnShare(base) },
  {
    header: 'Effective',
    isNumber: true,
    sortBy: ({ effective }) => effective,
    cell: ({ effective }) => formatColumnShare(effective),
  },
  {
    header: 'Mean',
    isNumber: true,
    sortBy: ({ expectedRolls }) => expectedRolls ?? Number.POSITIVE_INFINITY,
    cell: ({ expectedRolls }) => (expectedRolls === null ? 'never' : formatNumber(expectedRolls, 1)),
  },
];

const BY_SHARE = { header: 'Effective' };

export const ItemOddsTable = memo(({ items }: { items: readonly Row[] }) => {
  const options = useOptions();
  const columns = useMemo(() => columnsOf(options), [options]);
  return (
    <VirtualTable
      label="Odds of the items"
      columns={columns}
      rows={items}
      keyOf={({ itemId }) => itemId}
      sortedBy={BY_SHARE}
      maxHeight="420px"
    />
  );
});
