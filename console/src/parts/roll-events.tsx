import { ActionIcon, Badge, Group, Stack, Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Fragment } from 'react';
import type { Schemas } from '../api/client.ts';
import { useTemplates } from '../api/requests.ts';
import { useLiveOptions } from '../catalog/reads.ts';
import { Cells, type Column, Head, TableFrame } from './data-table.tsx';
import { formatCount, formatMany, formatMoment } from './format.ts';
import { EmptyCard } from './loaded.tsx';
import { type OptionsById, Swatch, tierColour } from './options.tsx';
import classes from './roll-events.module.css';
import { Detail, NameLink, pathTo, TextLink } from './text.tsx';

type RollEvent = Schemas['RollEvent'];
type Result = RollEvent['results'][number];
type Counters = NonNullable<RollEvent['before']>;

/** Kinds of results that a line has room for. */
const KINDS_SHOWN = 3;

/** Names of templates by id, for as long as they exist. */
export const useTemplateNames = (): ReadonlyMap<string, string> =>
  new Map(useTemplates().data?.rows.map(({ id, name }) => [id, name]));

interface Known {
  readonly options: OptionsById;
  readonly templates: ReadonlyMap<string, string>;
  readonly withSpark: ReadonlySet<string>;
}

/** The templates where spark points buy something. */
const useSparkTemplates = (): ReadonlySet<string> =>
  new Set(
    useTemplates()
      .data?.rows.filter(({ config }) => 'sparkCurrency' in config)
      .map(({ id }) => id),
  );

const sinceOf = (counters: Counters, tier: string): number =>
  counters.pities.find((pity) => pity.tier === tier)?.since ?? 0;

interface CountersProps {
  readonly event: RollEvent;
  /** The templates where spark points buy something; they are counted on all. */
  readonly withSpark: ReadonlySet<string>;
}

/** Counters before and after; what is 0 on both sides is left out. */
const CountersOf = ({ event: { before, after, templateId }, withSpark }: CountersProps) => {
  if (before === null || after === null) return null;
  const tiers = new Map([...before.pities, ...after.pities].map(({ tier, tierName }) => [tier, tierName ?? 'a tier']));
  const counters = [
    ...[...tiers].map(([tier, name]) => [`since ${name}`, sinceOf(before, tier), sinceOf(after, tier)] as const),
    ['lost in a row', before.losses, after.losses] as const,
    ...(withSpark.has(templateId ?? '') ? [['spark', before.sparkPoints, after.sparkPoints] as const] : []),
  ].filter(([, from, to]) => from !== 0 || to !== 0);
  return (
    <div className={classes.counters}>
      {counters.map(([name, from, to]) => (
        <span key={name}>{`${name} ${formatCount(from)} → ${formatCount(to)}`}</span>
      ))}
    </div>
  );
};

/** How a result came about, if not by mere luck. */
const Why = ({ pity, featured }: Result) => (
  <>
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
  </>
);

interface Kind {
  readonly result: Result;
  readonly count: number;
}

/** Equal results together, the rarest first: what stands out is what was rolled least often. */
const kindsOf = (results: readonly Result[]): Kind[] =>
  [...Map.groupBy(results, ({ itemId, tier, pity, featured }) => JSON.stringify([itemId, tier, pity, featured]))]
    .flatMap(([, [result, ...others]]) => (result === undefined ? [] : [{ result, count: 1 + others.length }]))
    .toSorted(
      (one, other) =>
        Number(other.result.pity ?? 0) - Number(one.result.pity ?? 0) ||
        Number(other.result.featured ?? 0) - Number(one.result.featured ?? 0) ||
        one.count - other.count,
    );

const InShort = ({ results, options }: { results: readonly Result[]; options: OptionsById }) => {
  const kinds = kindsOf(results);
  return (
    <div className={classes.results}>
      {kinds.slice(0, KINDS_SHOWN).map(({ result, count }) => (
        <span className={classes.result} key={`${result.itemId} ${result.tier} ${result.pity} ${result.featured}`}>
          {result.tier !== null && <Swatch colour={tierColour(options, result.tier)} />}
          <NameLink href={pathTo('items', result.itemId)}>{result.itemName}</NameLink>
          {count > 1 && <Detail span>× {formatCount(count)}</Detail>}
          <Why {...result} />
        </span>
      ))}
      {kinds.length > KINDS_SHOWN && <Detail span>and {formatMany(kinds.length - KINDS_SHOWN, 'other')}</Detail>}
    </div>
  );
};

/** Everything about a roll: its results in order, and what it was made on. */
const Details = ({ event, options }: { event: RollEvent; options: OptionsById }) => (
  <Stack gap={8}>
    <ol className={classes.order} aria-label="Results in order">
      {event.results.map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have an order and never change.
        <li key={index}>
          <span className={classes.number}>{formatCount(index + 1)}.</span>
          {result.tier !== null && <Swatch colour={tierColour(options, result.tier)} />}
          <NameLink href={pathTo('items', result.itemId)} style={{ overflowWrap: 'anywhere' }}>
            {result.itemName}
          </NameLink>
          {result.tierName !== null && <Detail span>{result.tierName}</Detail>}
          <Why {...result} />
        </li>
      ))}
    </ol>
    <Group gap="xs">
      {event.version !== null && (
        <TextLink size="xs" href={pathTo('history', String(event.version))}>
          version {formatCount(event.version)} of the catalog
        </TextLink>
      )}
      {event.fairness !== undefined && (
        <Detail>
          receipt {formatCount(event.fairness.nonce)} of epoch {formatCount(event.fairness.epoch)}
        </Detail>
      )}
    </Group>
  </Stack>
);

const Template = ({ templateId, templates }: { templateId: string | null } & Pick<Known, 'templates'>) => {
  if (templateId === null) return <Detail>plain roll</Detail>;
  const name = templates.get(templateId);
  if (name === undefined) return <Detail>deleted template</Detail>;
  return <TextLink href={pathTo('templates', templateId)}>{name}</TextLink>;
};

const Player = ({ userId }: Pick<RollEvent, 'userId'>) =>
  userId === null ? <Detail>nobody</Detail> : <NameLink href={pathTo('players', userId)}>{userId}</NameLink>;

const NOWRAP = { style: { whiteSpace: 'nowrap' } } as const;

const wideColumns = ({ options, templates, withSpark }: Known, hasPlayers: boolean): readonly Column<RollEvent>[] => [
  { header: 'When', ...NOWRAP, cell: ({ rolledAt }) => formatMoment(rolledAt) },
  ...(hasPlayers ? [{ header: 'Player', ...NOWRAP, cell: Player }] : []),
  {
    header: 'Template',
    ...NOWRAP,
    cell: ({ templateId }) => <Template templateId={templateId} templates={templates} />,
  },
  {
    header: 'Results',
    w: '100%',
    style: { maxWidth: 0 },
    cell: ({ results }) => <InShort results={results} options={options} />,
  },
  { header: 'Counters', ...NOWRAP, cell: (event) => <CountersOf event={event} withSpark={withSpark} /> },
];

/** A narrow screen has one column, with everything below each other. */
const narrowColumns = ({ options, templates, withSpark }: Known, hasPlayers: boolean): readonly Column<RollEvent>[] => [
  {
    header: 'Roll',
    cell: (event) => (
      <Stack gap={2} py={4}>
        <Group gap="xs">
          {hasPlayers && <Player userId={event.userId} />}
          <Template templateId={event.templateId} templates={templates} />
          <Detail>{formatMoment(event.rolledAt)}</Detail>
        </Group>
        <InShort results={event.results} options={options} />
        <CountersOf event={event} withSpark={withSpark} />
      </Stack>
    ),
  },
];

interface RollEventsProps {
  readonly events: readonly RollEvent[];
  readonly hasPlayers: boolean;
  /** The rolls whose details are shown, by id. */
  readonly opened: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

/** Entries of the log of rolls, newest first. */
export const RollEvents = ({ events, hasPlayers, opened, onToggle }: RollEventsProps) => {
  const options = useLiveOptions();
  const templates = useTemplateNames();
  const withSpark = useSparkTemplates();
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  if (events.length === 0)
    return <EmptyCard title="No rolls found">Rolls that fit the filters appear here as they are made.</EmptyCard>;
  const toggle: Column<RollEvent> = {
    header: 'Details',
    isHeaderHidden: true,
    style: { width: 40, paddingInlineEnd: 0 },
    cell: ({ id, rolledAt }) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={`Details of the roll of ${formatMoment(rolledAt)}`}
        aria-expanded={opened.has(id)}
        onClick={() => onToggle(id)}
      >
        {opened.has(id) ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
      </ActionIcon>
    ),
  };
  const columns = [toggle, ...(isWide ? wideColumns : narrowColumns)({ options, templates, withSpark }, hasPlayers)];
  return (
    <TableFrame label="Rolls" minWidth={760} verticalSpacing={3} isCard className={classes.table}>
      <Head columns={columns} />
      <Table.Tbody>
        {events.map((event) => (
          <Fragment key={event.id}>
            <Table.Tr>
              <Cells columns={columns} row={event} />
            </Table.Tr>
            {opened.has(event.id) && (
              <Table.Tr className={classes.details}>
                <Table.Td colSpan={columns.length}>
                  <Details event={event} options={options} />
                </Table.Td>
              </Table.Tr>
            )}
          </Fragment>
        ))}
      </Table.Tbody>
    </TableFrame>
  );
};
