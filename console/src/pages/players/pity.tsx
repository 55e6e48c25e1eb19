import { Button, Group, Skeleton, Stack, Table } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';
import { explain, type Schemas } from '../../api/client.ts';
import { useCounterChanges, usePermissions, usePlayerState, useTemplates, useWait } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { Cells, type Column, Head, TableFrame } from '../../parts/data-table.tsx';
import { formatCount, formatMany, formatMoment, formatShare } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import type { OptionsById } from '../../parts/options.tsx';
import { useTemplateNames } from '../../parts/roll-events.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail, NameLink, Note, pathTo, Strong } from '../../parts/text.tsx';
import { RedeemSpark, RollFor, SetCounters } from './on-template.tsx';

type State = Schemas['UserTemplateState'];

const nameIn = (options: OptionsById, tier: string | null): string =>
  tier === null ? 'any item' : (options.get(tier)?.name ?? tier);

interface Shown {
  readonly state: State;
  readonly wait: Schemas['Wait'] | undefined;
}

/** How many rolls of how many: 30 / 90. */
const progress = (since: number, certainWithin: number | null | undefined): string =>
  certainWithin == null ? formatCount(since) : `${formatCount(since)} / ${formatCount(since + certainWithin)}`;

/** A narrow screen shows only the most important columns; the others are listed below the name. */
const columnsOf = (options: OptionsById): readonly Column<Shown>[] => [
  {
    header: 'Rolls',
    ta: 'right',
    visibleFrom: 'sm',
    cell: ({ state: { rolls, accruedRolls } }) => (
      <>
        {formatCount(rolls)}
        {accruedRolls > 0 && <Detail style={{ whiteSpace: 'nowrap' }}>{formatCount(accruedRolls)} to claim</Detail>}
      </>
    ),
  },
  {
    header: 'Pity',
    ta: 'right',
    cell: ({ state, wait }) => (
      <>
        <span style={{ whiteSpace: 'nowrap' }}>
          {wait?.tier === null ? '–' : progress(state.sinceTop, wait?.certainWithin)}
        </span>
        {state.next[0]?.tier != null && <Detail>{nameIn(options, state.next[0].tier)}</Detail>}
      </>
    ),
  },
  {
    header: 'Lower tiers',
    ta: 'right',
    visibleFrom: 'sm',
    cell: ({ state: { pities }, wait }) =>
      pities
        .map(({ tier, since }) => {
          const certain = wait?.pities.find((pity) => pity.tier === tier)?.certainWithin;
          return `${nameIn(options, tier)} ${progress(since, certain)}`;
        })
        .join(', ') || '–',
  },
  { header: 'Lost in a row', ta: 'right', visibleFrom: 'sm', cell: ({ state: { losses } }) => formatCount(losses) },
  { header: 'Spark points', ta: 'right', cell: ({ state: { sparkPoints } }) => formatCount(sparkPoints) },
  {
    header: 'Next roll',
    ta: 'right',
    cell: ({ state: { next } }) =>
      next.map(({ tier, rate }) => (
        <Detail key={tier ?? ''} style={{ whiteSpace: 'nowrap' }}>
          {nameIn(options, tier)} {formatShare(rate, 3)}
        </Detail>
      )),
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

type Act = 'roll' | 'spark' | 'counters';

const TemplateRow = ({ userId, template, options }: TemplateRowProps) => {
  const { id, name } = template;
  const { data: state, isError, error } = usePlayerState(userId, id);
  const { data: wait } = useWait(userId, id);
  const { canSupport } = usePermissions();
  const [act, setAct] = useState<Act>();
  const columns = columnsOf(options);
  const hasSpark = (template.config as { sparkCurrency?: number }).sparkCurrency !== undefined;
  const button = (label: string, opens: Act) => (
    <Button variant="default" size="compact-xs" aria-label={`${label} on ${name}`} onClick={() => setAct(opens)}>
      {label}
    </Button>
  );
  const dialog = state !== undefined && { userId, template, state, onClose: () => setAct(undefined) };
  return (
    <>
      <Table.Tr>
        <Table.Th scope="row" style={{ verticalAlign: 'top' }}>
          <NameLink href={pathTo('templates', id)}>{name}</NameLink>
          {state !== undefined && (
            <Detail fw={400} hiddenFrom="sm">
              {inShort(state, options)}
            </Detail>
          )}
        </Table.Th>
        {state !== undefined ? (
          <Cells columns={columns} row={{ state, wait }} />
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
      {state !== undefined && (
        <Table.Tr>
          <Table.Td colSpan={columns.length + 1} pt={0}>
            <Group justify="space-between" gap="xs">
              <Note style={{ flex: '1 1 300px' }}>{wait !== undefined && state.rolls > 0 && wait.sentence}</Note>
              {canSupport && (
                <Group gap={6}>
                  {button('Roll', 'roll')}
                  {hasSpark && button('Redeem spark', 'spark')}
                  {!template.verifiable && wait?.tier !== null && button('Set counters', 'counters')}
                </Group>
              )}
            </Group>
            {dialog && act === 'roll' && <RollFor {...dialog} />}
            {dialog && act === 'spark' && <RedeemSpark {...dialog} />}
            {dialog && act === 'counters' && <SetCounters {...dialog} />}
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
};

/** What support has set, and why. */
const CounterChanges = ({ userId }: { userId: string }) => {
  const names = useTemplateNames();
  const changes = useCounterChanges(userId).data?.rows ?? [];
  if (changes.length === 0) return null;
  const told = ({ before, after }: Schemas['CounterChange']): string =>
    [
      ...(before.sinceTop === after.sinceTop ? [] : [`pity ${before.sinceTop} → ${after.sinceTop}`]),
      ...(before.losses === after.losses ? [] : [`lost in a row ${before.losses} → ${after.losses}`]),
      ...(before.sparkPoints === after.sparkPoints
        ? []
        : [`spark points ${formatCount(before.sparkPoints)} → ${formatCount(after.sparkPoints)}`]),
    ].join(', ');
  return (
    <Section title="Counters set by hand" padding="md">
      {changes.toReversed().map((change) => (
        <div key={change.id}>
          <Strong>
            {names.get(change.templateId) ?? 'A deleted template'}: {told(change) || 'lower tiers'}
          </Strong>
          <Detail>
            {formatMoment(change.createdAt)} with the secret {change.author}: {change.reason}
          </Detail>
        </div>
      ))}
    </Section>
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
        <Stack>
          <TableFrame label="Pity and spark" minWidth={860} isCard>
            <Head columns={[{ header: 'Template', cell: () => null }, ...columnsOf(options)]} />
            <Table.Tbody>
              {rows.map((template) => (
                <TemplateRow key={template.id} userId={userId} template={template} options={options} />
              ))}
            </Table.Tbody>
          </TableFrame>
          <CounterChanges userId={userId} />
        </Stack>
      )}
    </Loaded>
  );
};
