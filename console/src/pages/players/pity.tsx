import { Skeleton, Table, Text } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useLiveOptions } from '../../catalog/reads.ts';
import { explain } from '../../interface/api-error.ts';
import type { Schemas } from '../../interface/client.ts';
import { usePlayerState, useTemplates } from '../../interface/queries.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatCount, formatMany, formatShare } from '../../parts/format.ts';
import { TextLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { pathTo } from '../../parts/path-id.ts';
import { TableCard } from '../../parts/table-card.tsx';

/** A narrow screen shows only the most important columns; the others are listed below the name. */
const COLUMNS = [
  { label: 'Rolls', visibleFrom: 'sm' },
  { label: 'Since top tier' },
  { label: 'Losses in a row', visibleFrom: 'sm' },
  { label: 'Spark points' },
  { label: 'Since lower tiers', visibleFrom: 'sm' },
  { label: 'Next: top tier' },
];

interface StateProps {
  readonly state: Schemas['UserTemplateState'];
  readonly options: ReadonlyMap<string, KnownOption>;
}

const nameIn = (options: ReadonlyMap<string, KnownOption>, tier: string | null): string =>
  tier === null ? 'any item' : (options.get(tier)?.name ?? tier);

const inShort = ({ rolls, losses, pities }: StateProps['state'], options: StateProps['options']): string =>
  [
    formatMany(rolls, 'roll'),
    ...(losses > 0 ? [`${formatCount(losses)} lost in a row`] : []),
    ...pities.map(({ tier, since }) => `${formatCount(since)} since ${nameIn(options, tier)}`),
  ].join(', ');

const StateCells = ({ state, options }: StateProps) => {
  const { rolls, sinceTop, losses, sparkPoints, pities, accruedRolls, next } = state;
  const nameOf = (tier: string | null) => nameIn(options, tier);
  const [top] = next;
  return (
    <>
      <Table.Td ta="right" visibleFrom="sm">
        {formatCount(rolls)}
        {accruedRolls > 0 && (
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {formatCount(accruedRolls)} to claim
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{formatCount(sinceTop)}</Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {formatCount(losses)}
      </Table.Td>
      <Table.Td ta="right">{formatCount(sparkPoints)}</Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {pities.length === 0
          ? '–'
          : pities.map(({ tier, since }) => `${nameOf(tier)} ${formatCount(since)}`).join(', ')}
      </Table.Td>
      <Table.Td ta="right">
        {top === undefined ? (
          '–'
        ) : (
          <>
            {formatShare(top.rate, 3)}
            <Text size="xs" c="dimmed">
              {nameOf(top.tier)}
            </Text>
          </>
        )}
      </Table.Td>
    </>
  );
};

interface TemplateRowProps {
  readonly userId: string;
  readonly template: Schemas['Template'];
  readonly options: ReadonlyMap<string, KnownOption>;
}

const TemplateRow = ({ userId, template: { id, name }, options }: TemplateRowProps) => {
  const state = usePlayerState(userId, id);
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <TextLink href={pathTo('templates', id)} fw={600} size="sm">
          {name}
        </TextLink>
        {state.data !== undefined && (
          <Text size="xs" c="dimmed" fw={400} hiddenFrom="sm">
            {inShort(state.data, options)}
          </Text>
        )}
      </Table.Th>
      {state.data !== undefined ? (
        <StateCells state={state.data} options={options} />
      ) : (
        <Table.Td colSpan={COLUMNS.length}>
          {state.isError ? (
            <Text size="sm" c="red">
              {explain(state.error)}
            </Text>
          ) : (
            <Skeleton height={20} role="status" aria-label="Loading" />
          )}
        </Table.Td>
      )}
    </Table.Tr>
  );
};

/** The state of a player on every template. */
export const Pity = ({ userId }: { userId: string }) => {
  const options = useLiveOptions();
  return (
    <Loaded query={useTemplates()}>
      {({ rows }) =>
        rows.length === 0 ? (
          <Empty title="No templates yet" icon={IconSparkles}>
            Pity and spark are counted per template, such as a banner.
          </Empty>
        ) : (
          <TableCard label="Pity and spark" minWidth={860}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Template</Table.Th>
                {COLUMNS.map(({ label, visibleFrom }) => (
                  <Table.Th key={label} ta="right" visibleFrom={visibleFrom}>
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((template) => (
                <TemplateRow key={template.id} userId={userId} template={template} options={options} />
              ))}
            </Table.Tbody>
          </TableCard>
        )
      }
    </Loaded>
  );
};
