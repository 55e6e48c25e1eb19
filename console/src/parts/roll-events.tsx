import { Badge, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { useTemplates } from '../api/requests.ts';
import { useLiveOptions } from '../catalog/reads.ts';
import { type Column, DataTable } from './data-table.tsx';
import { formatCount, formatMoment } from './format.ts';
import { Empty } from './loaded.tsx';
import { type OptionsById, Swatch, tierColour } from './options.tsx';
import { Detail, NameLink, pathTo } from './text.tsx';

type RollEvent = Schemas['RollEvent'];
type Counters = NonNullable<RollEvent['before']>;

const RESULTS_SHOWN = 10;

/** Names of templates by id, for as long as they exist. */
export const useTemplateNames = (): ReadonlyMap<string, string> =>
  new Map(useTemplates().data?.rows.map(({ id, name }) => [id, name]));

const sinceOf = (counters: Counters, tier: string): number =>
  counters.pities.find((pity) => pity.tier === tier)?.since ?? 0;

/** Counters before and after, one line each; what is 0 on both sides is left out. */
const CountersCell = ({ before, after }: Pick<RollEvent, 'before' | 'after'>) => {
  if (before === null || after === null) return <Text size="sm">–</Text>;
  const tiers = new Map([...before.pities, ...after.pities].map(({ tier, tierName }) => [tier, tierName ?? tier]));
  const lines = [
    ...[...tiers].map(([tier, name]) => [`since ${name}`, sinceOf(before, tier), sinceOf(after, tier)] as const),
    ['lost in a row', before.losses, after.losses] as const,
    ['spark points', before.sparkPoints, after.sparkPoints] as const,
  ].filter(([, from, to]) => from !== 0 || to !== 0);
  return (
    <Stack gap={0}>
      {lines.map(([name, from, to]) => (
        <Detail key={name} style={{ whiteSpace: 'nowrap' }}>
          {name}: {formatCount(from)} → {formatCount(to)}
        </Detail>
      ))}
    </Stack>
  );
};

const Results = ({ results, options }: { results: RollEvent['results']; options: OptionsById }) => (
  <Group gap="xs">
    {results.slice(0, RESULTS_SHOWN).map(({ itemId, itemName, tier, tierName, pity, featured }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: results have an order and never change.
      <Group key={index} gap={6} wrap="nowrap">
        <Swatch colour={tierColour(options, tier)} />
        <NameLink href={pathTo('items', itemId)}>{itemName}</NameLink>
        {tierName !== null && <Detail>{tierName}</Detail>}
        {pity === true && (
          <Badge size="xs" variant="default">
            pity
          </Badge>
        )}
        {featured === true && (
          <Badge size="xs" variant="default">
            featured
          </Badge>
        )}
      </Group>
    ))}
    {results.length > RESULTS_SHOWN && <Detail>and {formatCount(results.length - RESULTS_SHOWN)} more</Detail>}
  </Group>
);

const columnsOf = (
  options: OptionsById,
  templates: ReadonlyMap<string, string>,
  hasPlayers: boolean,
): readonly (Column<RollEvent> | false)[] => [
  { header: 'When', w: 150, cell: ({ rolledAt }) => formatMoment(rolledAt) },
  hasPlayers && {
    header: 'Player',
    cell: ({ userId }) =>
      userId === null ? <Detail>nobody</Detail> : <NameLink href={pathTo('players', userId)}>{userId}</NameLink>,
  },
  {
    header: 'Template',
    cell: ({ templateId }) =>
      templateId === null ? (
        <Detail>plain roll</Detail>
      ) : templates.has(templateId) ? (
        <NameLink href={pathTo('templates', templateId)}>{templates.get(templateId)}</NameLink>
      ) : (
        <Detail>deleted template</Detail>
      ),
  },
  { header: 'Results', cell: ({ results }) => <Results results={results} options={options} /> },
  { header: 'Counters', cell: (event) => <CountersCell {...event} /> },
];

interface RollEventsProps {
  readonly events: readonly RollEvent[];
  readonly hasPlayers?: boolean;
}

/** Entries of the log of rolls, newest first. */
export const RollEvents = ({ events, hasPlayers = false }: RollEventsProps) => (
  <DataTable
    label="Rolls"
    columns={columnsOf(useLiveOptions(), useTemplateNames(), hasPlayers)}
    rows={events}
    keyOf={({ id }) => id}
    minWidth={760}
    isCard
    empty={<Empty title="No rolls found">Rolls appear here as they are made.</Empty>}
  />
);
