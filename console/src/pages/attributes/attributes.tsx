import { IconAdjustments } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { EntityMenu } from '../../catalog/entity-menu.tsx';
import { ListPage } from '../../catalog/list-page.tsx';
import { NameWithBadge } from '../../catalog/marks.tsx';
import { useCatalogAttributes, useCatalogItems } from '../../catalog/reads.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { actions, type Column, DataTable, figures } from '../../parts/data-table.tsx';
import { formatCount, formatMany, formatNumber } from '../../parts/format.ts';
import { Detail } from '../../parts/text.tsx';
import { AttributeForm } from './attribute-form.tsx';

type Attribute = Schemas['Attribute'];

/** With the number of items that have it. */
type Row = Attribute & { readonly uses: number };

const stepInWords = ({ min, max, step }: Attribute): string => {
  if (step !== null) return `steps of ${formatNumber(step)}`;
  return Number.isInteger(min) && Number.isInteger(max) ? 'whole numbers' : 'any value';
};

const rowsOf = (attributes: readonly Attribute[], items: readonly Schemas['Item'][]): Row[] =>
  attributes.map((attribute) => ({
    ...attribute,
    uses: items.filter((item) => item.attributes.some(({ attributeId }) => attributeId === attribute.id)).length,
  }));

const COLUMNS: readonly Column<Row>[] = [
  {
    header: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ uses, ...attribute }) => (
      <>
        <NameWithBadge kind="attribute" {...attribute} />
        <Detail visibleFrom="sm">{attribute.id}</Detail>
        <Detail hiddenFrom="sm">
          {stepInWords(attribute)}, {uses === 0 ? 'on no item' : `on ${formatMany(uses, 'item')}`}
        </Detail>
      </>
    ),
  },
  figures('Lowest', ({ min }) => min, formatNumber),
  figures('Highest', ({ max }) => max, formatNumber),
  { header: 'Values', visibleFrom: 'sm', cell: stepInWords },
  figures('Items', ({ uses }) => uses, formatCount, { visibleFrom: 'sm' }),
];

export const Attributes = () => {
  const attributes = useCatalogAttributes();
  const items = useCatalogItems();
  const [edited, setEdited] = useState<Attribute | 'new'>();
  const menu = actions<Row>((row) => <EntityMenu kind="attribute" shown={row} onEdit={() => setEdited(row)} />);
  return (
    <ListPage
      kind="attribute"
      about="Numbers that items carry, such as damage. Each item has a range of its own inside the attribute's, and each instance a value."
      create={<NewButton onClick={() => setEdited('new')}>New attribute</NewButton>}
      icon={IconAdjustments}
      none="Start with what your players compare: damage, armour, speed."
      queries={[attributes, items]}
      dialog={
        edited !== undefined && (
          <AttributeForm attribute={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
        )
      }
    >
      {(list, known) => (
        <DataTable
          label="Attributes"
          columns={[...COLUMNS, menu]}
          rows={rowsOf(list.rows, known.rows)}
          keyOf={({ id }) => id}
          sortedBy={{ header: 'Name' }}
          minWidth={560}
          isCard
        />
      )}
    </ListPage>
  );
};
