import { Skeleton, Table } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { explain, type Schemas } from '../../api/client.ts';
import { usePlayerState, useTemplates } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { Cells, type Column, Head, TableFrame } from '../../parts/data-table.tsx';
import { formatCount, formatMany, formatShare } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import type { OptionsById } from '../../parts/options.tsx';
import { Detail, NameLink, Note, pathTo } from '../../parts/text.tsx';

type State = Schemas['UserTemplateState'];

const nameIn = (options: OptionsById, tier: string | null): string =>
  tier === null ? 'any item' : (options.get(tier)?.name ?? tier);

/** A narrow screen shows only the most important columns; the others are listed below the name. */
const columnsOf = (options: OptionsById): readonly Column<State>[] => [
  {
    header: 'Rolls',
    ta: 'right',
    visibleFrom: 'sm',
    cell: ({ rolls, accruedRolls }) => (
      <>
        {formatCount(rolls)}
        {accruedRolls > 0 && <Detail style={{ whiteSpace: 'nowrap' }}>{formatCount(accruedRolls)} to claim</Detail>}
      </>
    ),
  },
  { header: 'Since top tier', ta: 'right', cell: ({ sinceTop }) => formatCount(sinceTop) },
  { header: 'Losses in a row', ta: 'right', visibleFrom: 'sm', cell: ({ losses }) => formatCount(losses) },
  { header: 'Spark points', ta: 'right', cell: ({ sparkPoints }) => formatCount(sparkPoints) },
  {
    header: 'Since lower tiers',
    ta: 'right',
    visibleFrom: 'sm',
    cell: ({ pities }) =>
      pities.map(({ tier, since }) => `${nameIn(options, tier)} ${formatCount(since)}`).join(', ') || '–',
  },
  {
    header: 'Next: top tier',
    ta: 'right',
    cell: ({ next: [top] }) =>
      top === undefined ? (
        '–'
      ) : (
        <>
          {formatShare(top.rate, 3)}
          <Detail>{nameIn(options, top.tier)}</Detail>
        </>
      ),
  },
];

const inShort = ({ rolls, losses, pities }: State, options: OptionsById): string =>
  [
    formatMany(rolls, 'roll'),
    ...(losses > 0 ? [`${formatCount(losses)} lost in a row`] : []),
    ...pities.map(({ tier, since }) => `${formatCount(since)} since ${nameIn(options, tier)}`),
  ].join(', ');

interface TemplateRowProps {
  readonly userId: string;
  readonly template: Schemas['Template'];
  readonly options: OptionsById;
}

const TemplateRow = ({ userId, template: { id, name }, options }: TemplateRowProps) => {
  const { data, isError, error } = usePlayerState(userId, id);
  const columns = columnsOf(options);
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <NameLink href={pathTo('templates', id)}>{name}</NameLink>
        {data !== undefined && (
          <Detail fw={400} hiddenFrom="sm">
            {inShort(data, options)}
          </Detail>
        )}
      </Table.Th>
      {data !== undefined ? (
        <Cells columns={columns} row={data} />
      ) : (
        <Table.Td colSpan={columns.length}>
          {isError ? (
            <Note c="red">{explain(error)}</Note>
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
  const empty = (
    <Empty title="No templates yet" icon={IconSparkles}>
      Pity and spark are counted per template, such as a banner.
    </Empty>
  );
  return (
    <Loaded query={useTemplates()} empty={empty}>
      {({ rows }) => (
        <TableFrame label="Pity and spark" minWidth={860} isCard>
          <Head columns={[{ header: 'Template', cell: () => null }, ...columnsOf(options)]} />
          <Table.Tbody>
            {rows.map((template) => (
              <TemplateRow key={template.id} userId={userId} template={template} options={options} />
            ))}
          </Table.Tbody>
        </TableFrame>
      )}
    </Loaded>
  );
};
