import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../interface/client.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { formatCount, formatShare } from '../../parts/format.ts';
import { SYSTEMS } from './systems.ts';
import type { TemplateType } from './template-values.ts';

const Figure = ({ label, value }: { label: string; value: string }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text fw={650} className="numeric">
      {value}
    </Text>
  </div>
);

interface PlayerStateProps {
  readonly state: Schemas['UserTemplateState'];
  readonly type: TemplateType;
  readonly options: ReadonlyMap<string, KnownOption>;
}

/** The state of a player on a template: pity, losses, spark, and the odds of the next roll. */
export const PlayerState = ({ state, type, options }: PlayerStateProps) => {
  const { roll, rolls } = SYSTEMS[type];
  const nameOf = (tier: string | null) => (tier === null ? 'any item' : (options.get(tier)?.name ?? tier));
  return (
    <Card component="section" aria-label="Player state">
      <Stack gap="sm">
        <Title order={3}>Player state</Title>
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs">
          <Figure label={`${rolls} so far`} value={formatCount(state.rolls)} />
          <Figure label="since the top tier" value={formatCount(state.sinceTop)} />
          {state.pities.map(({ tier, since }) => (
            <Figure key={tier} label={`since ${nameOf(tier)}`} value={formatCount(since)} />
          ))}
          <Figure label="losses in a row" value={formatCount(state.losses)} />
          <Figure label="spark points" value={formatCount(state.sparkPoints)} />
          {type === 'idle' && <Figure label="ready to claim" value={formatCount(state.accruedRolls)} />}
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          Next {roll}: {state.next.map(({ tier, rate }) => `${nameOf(tier)} ${formatShare(rate, 3)}`).join(', ')}
        </Text>
      </Stack>
    </Card>
  );
};
