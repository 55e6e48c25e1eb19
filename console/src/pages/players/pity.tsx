import { Box, Button, Group, Stack, Table, Text } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';
import { explain, type Schemas } from '../../api/client.ts';
import { useCounterChanges, usePermissions, usePlayerStates, useTemplates, useWait } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { TableFrame } from '../../parts/data-table.tsx';
import { formatCount, formatMany, formatMoment, formatShare } from '../../parts/format.ts';
import { EmptyCard, Lines, Loaded } from '../../parts/loaded.tsx';
import { type OptionsById, Swatch, tierColour } from '../../parts/options.tsx';
import { useTemplateNames } from '../../parts/roll-events.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail, NameLink, Note, pathTo, Strong, TextLink } from '../../parts/text.tsx';
import { RedeemSpark, RollFor, SetCounters } from './on-template.tsx';
import classes from './pity.module.css';

type State = Schemas['UserTemplateState'];
type Template = Schemas['Template'];

const sparkCostOf = ({ config }: Template): number | undefined => (config as { sparkCurrency?: number }).sparkCurrency;
const hasFeatured = ({ config }: Template): boolean =>
  ((config as { featuredItemIds?: string[] }).featuredItemIds ?? []).length > 0;

/** Whether the player has ever rolled on it, as far as counters can tell. */
const isPlayed = ({ rolls, sinceTop, losses, sparkPoints, accruedRolls, pities }: State): boolean =>
  rolls + sinceTop + losses + sparkPoints + accruedRolls > 0 || pities.some(({ since }) => since > 0);

interface OnTemplate {
  readonly userId: string;
  readonly template: Template;
  readonly state: State;
}

/** What support can do on a template. */
const Actions = ({ userId, template, state }: OnTemplate) => {
  const { canSupport } = usePermissions();
  const [act, setAct] = useState<'roll' | 'spark' | 'counters'>();
  if (!canSupport) return null;
  const button = (label: string, opens: NonNullable<typeof act>) => (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`${label} on ${template.name}`}
      onClick={() => setAct(opens)}
    >
      {label}
    </Button>
  );
  const dialog = { userId, template, state, onClose: () => setAct(undefined) };
  // Without tiers there is nothing to count; receipts have every counter of verifiable rolls.
  const hasCounters = template.verifiable !== true && state.next.some(({ tier }) => tier !== null);
  return (
    <>
      <Group gap={6}>
        {button('Roll', 'roll')}
        {sparkCostOf(template) !== undefined && button('Redeem spark', 'spark')}
        {hasCounters && button('Set counters', 'counters')}
      </Group>
      {act === 'roll' && <RollFor {...dialog} />}
      {act === 'spark' && <RedeemSpark {...dialog} />}
      {act === 'counters' && <SetCounters {...dialog} />}
    </>
  );
};

interface PityRow {
  readonly tier: string | null;
  readonly name: string;
  /** Rolls since it came last; undefined without a pity of its own. */
  readonly since: number | undefined;
  readonly certainWithin: number | null | undefined;
  readonly rate: number;
}

/** The tiers of a template, the rarest first, with their pity. */
const rowsOf = ({ next, sinceTop, pities }: State, wait: Schemas['Wait'] | undefined): PityRow[] =>
  next.map(({ tier, tierName, rate }, place) => {
    const isTop = place === 0 && tier !== null;
    const own = pities.find((pity) => pity.tier === tier);
    return {
      tier,
      name: tier === null ? 'Any item' : (tierName ?? 'A deleted tier'),
      since: isTop ? sinceTop : own?.since,
      certainWithin: isTop ? wait?.certainWithin : wait?.pities.find((pity) => pity.tier === tier)?.certainWithin,
      rate,
    };
  });

/** How many rolls of how many: 30 / 90. */
const Progress = ({ since, certainWithin }: Pick<PityRow, 'since' | 'certainWithin'>) => {
  if (since === undefined) return <Detail>no pity</Detail>;
  if (certainWithin == null) return <Text size="sm">{formatCount(since)}</Text>;
  const most = since + certainWithin;
  return (
    <Group gap="xs" wrap="nowrap">
      <div className={classes.bar} aria-hidden="true">
        <div style={{ width: `${(100 * since) / most}%` }} />
      </div>
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {formatCount(since)} / {formatCount(most)}
      </Text>
    </Group>
  );
};

const Tiers = ({ name, rows, options }: { name: string; rows: readonly PityRow[]; options: OptionsById }) => (
  <TableFrame label={`Pity on ${name}`} verticalSpacing={4} layout="fixed" className={classes.table}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th w="36%">Tier</Table.Th>
        <Table.Th w="40%">Rolls without</Table.Th>
        <Table.Th ta="right">Next roll</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map((row) => (
        <Table.Tr key={row.tier ?? ''}>
          <Table.Th scope="row" fw={400}>
            <Group gap={8} wrap="nowrap">
              <Swatch colour={tierColour(options, row.tier)} />
              {row.name}
            </Group>
          </Table.Th>
          <Table.Td>
            <Progress {...row} />
          </Table.Td>
          <Table.Td ta="right">{formatShare(row.rate, 3)}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </TableFrame>
);

/** What else is counted, in a line. */
const othersOf = (template: Template, { rolls, losses, sparkPoints, accruedRolls }: State): string => {
  const cost = sparkCostOf(template);
  return [
    formatMany(rolls, 'roll'),
    ...(accruedRolls > 0 ? [`${formatCount(accruedRolls)} to claim`] : []),
    ...(hasFeatured(template) || losses > 0 ? [`${formatCount(losses)} lost in a row`] : []),
    ...(cost === undefined ? [] : [`${formatCount(sparkPoints)} of ${formatMany(cost, 'spark point')}`]),
  ].join(' · ');
};

/** A template that the player rolls on: the answer to a complaint first, then every counter. */
const PlayedTemplate = ({ options, ...on }: OnTemplate & { options: OptionsById }) => {
  const { userId, template, state } = on;
  const wait = useWait(userId, template.id).data;
  return (
    <Section
      title={template.name}
      padding="md"
      about={
        <Group gap={8}>
          <Detail>{othersOf(template, state)}</Detail>
          <TextLink size="xs" href={pathTo('templates', template.id)}>
            Odds and rules
          </TextLink>
        </Group>
      }
      aside={<Actions {...on} />}
    >
      {wait !== undefined && <Text size="sm">{wait.sentence}</Text>}
      <Box maw={600}>
        <Tiers name={template.name} rows={rowsOf(state, wait)} options={options} />
      </Box>
    </Section>
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
          <Detail style={{ overflowWrap: 'anywhere' }}>
            {formatMoment(change.createdAt)} with the secret {change.author}: {change.reason}
          </Detail>
        </div>
      ))}
    </Section>
  );
};

const Templates = ({ userId, templates }: { userId: string; templates: readonly Template[] }) => {
  const options = useLiveOptions();
  const states = usePlayerStates(
    userId,
    templates.map(({ id }) => id),
  );
  if (states.some(({ isPending }) => isPending)) return <Lines count={6} />;
  const known = templates.flatMap((template, place) => {
    const state = states[place]?.data;
    return state === undefined ? [] : [{ userId, template, state }];
  });
  const failed = templates.flatMap((template, place) => {
    const error = states[place]?.error;
    return error == null ? [] : [{ template, error }];
  });
  const played = known.filter(({ state }) => isPlayed(state)).toSorted((a, b) => b.state.rolls - a.state.rolls);
  const others = known.filter(({ state }) => !isPlayed(state));
  return (
    <Stack>
      {played.map((on) => (
        <PlayedTemplate key={on.template.id} {...on} options={options} />
      ))}
      {others.length + failed.length > 0 && (
        <Section title="Not rolled on yet" padding="md" gap={4}>
          {others.map((on) => (
            <Group key={on.template.id} justify="space-between" gap="xs" mih={36}>
              <NameLink href={pathTo('templates', on.template.id)}>{on.template.name}</NameLink>
              <Actions {...on} />
            </Group>
          ))}
          {failed.map(({ template, error }) => (
            <Group key={template.id} justify="space-between" gap="xs" mih={36}>
              <NameLink href={pathTo('templates', template.id)}>{template.name}</NameLink>
              <Note c="var(--mantine-color-error)">{explain(error)}</Note>
            </Group>
          ))}
        </Section>
      )}
      <CounterChanges userId={userId} />
    </Stack>
  );
};

/** The state of a player on every template. */
export const Pity = ({ userId }: { userId: string }) => (
  <Loaded
    query={useTemplates()}
    empty={
      <EmptyCard title="No templates yet" icon={IconSparkles}>
        Pity and spark are counted per template, such as a banner.
      </EmptyCard>
    }
  >
    {({ rows }) => <Templates userId={userId} templates={rows} />}
  </Loaded>
);
