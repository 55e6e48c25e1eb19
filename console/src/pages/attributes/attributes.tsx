import { Button, Group, Table, Text } from '@mantine/core';
import { IconAdjustments, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { DeletedInDraft, DraftBadge } from '../../catalog/marks.tsx';
import { useCatalogAttributes, useCatalogItems } from '../../catalog/reads.ts';
import type { Schemas } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatCount, formatMany, formatNumber } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { SortHeader, useSorting } from '../../parts/sorting.tsx';
import { ActionsHeader, TableCard } from '../../parts/table-card.tsx';
import { AttributeForm } from './attribute-form.tsx';
import { AttributeMenu } from './attribute-menu.tsx';

interface Row {
  readonly attribute: Schemas['Attribute'];
  readonly uses: number;
}

const COLUMNS = {
  name: ({ attribute }: Row) => attribute.name,
  min: ({ attribute }: Row) => attribute.min,
  max: ({ attribute }: Row) => attribute.max,
  uses: ({ uses }: Row) => uses,
};

const stepInWords = ({ min, max, step }: Schemas['Attribute']): string => {
  if (step !== null) return `steps of ${formatNumber(step)}`;
  return Number.isInteger(min) && Number.isInteger(max) ? 'whole numbers' : 'any value';
};

interface AttributeTableProps {
  readonly attributes: readonly Schemas['Attribute'][];
  readonly items: readonly Schemas['Item'][];
  readonly onEdit: (attribute: Schemas['Attribute']) => void;
}

const AttributeTable = ({ attributes, items, onEdit }: AttributeTableProps) => {
  const rows = attributes.map((attribute) => ({
    attribute,
    uses: items.filter((item) => item.attributes.some(({ attributeId }) => attributeId === attribute.id)).length,
  }));
  const { sorted, sorting } = useSorting(rows, COLUMNS, 'name');
  return (
    <TableCard label="Attributes" minWidth={560}>
      <Table.Thead>
        <Table.Tr>
          <SortHeader sorting={sorting} column="name">
            Name
          </SortHeader>
          <SortHeader sorting={sorting} column="min" isNumeric>
            Lowest
          </SortHeader>
          <SortHeader sorting={sorting} column="max" isNumeric>
            Highest
          </SortHeader>
          <Table.Th visibleFrom="sm">Values</Table.Th>
          <SortHeader sorting={sorting} column="uses" isNumeric visibleFrom="sm">
            Items
          </SortHeader>
          <ActionsHeader />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sorted.map(({ attribute, uses }) => (
          <Table.Tr key={attribute.id}>
            <Table.Td>
              <Group gap="xs">
                <Text size="sm" fw={600}>
                  {attribute.name}
                </Text>
                <DraftBadge kind="attribute" id={attribute.id} />
              </Group>
              <Text size="xs" c="dimmed" visibleFrom="sm">
                {attribute.id}
              </Text>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                {stepInWords(attribute)}, {uses === 0 ? 'on no item' : `on ${formatMany(uses, 'item')}`}
              </Text>
            </Table.Td>
            <Table.Td ta="right">{formatNumber(attribute.min)}</Table.Td>
            <Table.Td ta="right">{formatNumber(attribute.max)}</Table.Td>
            <Table.Td visibleFrom="sm">{stepInWords(attribute)}</Table.Td>
            <Table.Td ta="right" visibleFrom="sm">
              {formatCount(uses)}
            </Table.Td>
            <Table.Td>
              <Group justify="flex-end">
                <AttributeMenu attribute={attribute} onEdit={() => onEdit(attribute)} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
};

export const Attributes = () => {
  const attributes = useCatalogAttributes();
  const items = useCatalogItems();
  const { canDesign } = usePermissions();
  const [edited, setEdited] = useState<Schemas['Attribute'] | 'new'>();
  const create = canDesign && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
      New attribute
    </Button>
  );
  return (
    <Page
      title="Attributes"
      about="Numbers that items carry, such as damage. Each item has a range of its own inside the attribute's, and each instance a value."
      curl={{ path: '/attributes' }}
      actions={create}
    >
      <Loaded query={attributes}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="No attributes yet" icon={IconAdjustments} action={create}>
              Start with what your players compare: damage, armour, speed.
            </Empty>
          ) : (
            <Loaded query={items}>
              {(list) => <AttributeTable attributes={rows} items={list.rows} onEdit={setEdited} />}
            </Loaded>
          )
        }
      </Loaded>
      <DeletedInDraft kind="attribute" />
      {edited !== undefined && (
        <AttributeForm attribute={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
};
