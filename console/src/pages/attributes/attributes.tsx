import { IconAdjustments } from '@tabler/icons-react';
import { useState } from 'react';
import { EntityMenu } from '../../catalog/entity-menu.tsx';
import { DeletedInDraft, NameWithBadge } from '../../catalog/marks.tsx';
import { useCatalogAttributes, useCatalogItems } from '../../catalog/reads.ts';
import type { Schemas } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { actions, type Column, DataTable, figures } from '../../parts/data-table.tsx';
import { formatCount, formatMany, formatNumber } from '../../parts/format.ts';
import { AllLoaded, Empty } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Detail } from '../../parts/text.tsx';
import { AttributeForm } from './attribute-form.tsx';

type Attribute = Schemas['Attribute'];

interface Row {
  readonly attribute: Attribute;
  readonly uses: number;
}

const stepInWords = ({ min, max, step }: Attribute): string => {
  if (step !== null) return `steps of ${formatNumber(step)}`;
  return Number.isInteger(min) && Number.isInteger(max) ? 'whole numbers' : 'any value';
};

const rowsOf = (attributes: readonly Attribute[], items: readonly Schemas['Item'][]): Row[] =>
  attributes.map((attribute) => ({
    attribute,
    uses: items.filter((item) => item.attributes.some(({ attributeId }) => attributeId === attribute.id)).length,
  }));

const COLUMNS: readonly Column<Row>[] = [
  {
    header: 'Name',
    sortBy: ({ attribute }) => attribute.name,
    cell: ({ attribute, uses }) => (
      <>
        <NameWithBadge kind="attribute" {...attribute} />
        <Detail visibleFrom="sm">{attribute.id}</Detail>
        <Detail hiddenFrom="sm">
          {stepInWords(attribute)}, {uses === 0 ? 'on no item' : `on ${formatMany(uses, 'item')}`}
        </Detail>
      </>
    ),
  },
  figures('Lowest', ({ attribute }) => attribute.min, formatNumber),
  figures('Highest', ({ attribute }) => attribute.max, formatNumber),
  { header: 'Values', visibleFrom: 'sm', cell: ({ attribute }) => stepInWords(attribute) },
  figures('Items', ({ uses }) => uses, formatCount, { visibleFrom: 'sm' }),
];

export const Attributes = () => {
  const attributes = useCatalogAttributes();
  const items = useCatalogItems();
  const { canDesign } = usePermissions();
  const [edited, setEdited] = useState<Attribute | 'new'>();
  const create = canDesign && <NewButton onClick={() => setEdited('new')}>New attribute</NewButton>;
  const menu = actions<Row>(({ attribute }) => (
    <EntityMenu kind="attribute" shown={attribute} onEdit={() => setEdited(attribute)} />
  ));
  const empty = (
    <Empty title="No attributes yet" icon={IconAdjustments} action={create}>
      Start with what your players compare: damage, armour, speed.
    </Empty>
  );
  return (
    <Page
      title="Attributes"
      about="Numbers that items carry, such as damage. Each item has a range of its own inside the attribute's, and each instance a value."
      curl={{ path: '/attributes' }}
      actions={create}
    >
      <AllLoaded queries={[attributes, items]} empty={empty}>
        {(list, known) => (
          <DataTable
            label="Attributes"
            columns={[...COLUMNS, menu]}
            rows={rowsOf(list.rows, known.rows)}
            keyOf={({ attribute }) => attribute.id}
            sortedBy={{ header: 'Name' }}
            minWidth={560}
            isCard
          />
        )}
      </AllLoaded>
      <DeletedInDraft kind="attribute" />
      {edited !== undefined && (
        <AttributeForm attribute={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
};
