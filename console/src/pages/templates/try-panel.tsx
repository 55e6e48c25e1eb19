import { Alert, Button, Card, Group, NumberInput, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { LiveNote } from '../../catalog/marks.tsx';
import { type Schemas, unwrap } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { Empty } from '../../parts/empty.tsx';
import { RollCard } from '../../parts/roll-card.tsx';
import { PlayerState } from './player-state.tsx';
import { SYSTEMS } from './systems.ts';

/** A player only for the console, so that trying affects no real one. */
const TEST_PLAYER = 'console-test-player';

interface TryPanelProps {
  readonly template: Schemas['Template'];
  readonly isDirty: boolean;
  readonly items: readonly Schemas['Item'][];
  readonly options: ReadonlyMap<string, KnownOption>;
}

export const TryPanel = ({ template, isDirty, items, options }: TryPanelProps) => {
  const { canSupport } = usePermissions();
  const { id, type } = template;
  const { roll: one, rolls: many } = SYSTEMS[type];
  const [depth, setDepth] = useState<number | string>(0);
  const roll = useChange({
    run: (api, count: number) =>
      unwrap(
        api.POST('/templates/{id}/roll', {
          params: { path: { id } },
          body: {
            userId: TEST_PLAYER,
            ...(type !== 'idle' && { count }),
            ...(type === 'roguelike' && { depth: Number(depth) }),
          },
        }),
      ),
    failed: 'Could not roll',
  });
  const forget = useChange({
    run: (api) => unwrap(api.DELETE('/users/{userId}', { params: { path: { userId: TEST_PLAYER } } })),
    done: () => 'The test player starts over',
    failed: 'Could not reset',
  });
  const result = roll.data;

  if (!canSupport)
    return (
      <Empty title="Rolling requires a secret with the role support or write">
        Your secret is read-only. Sign in with another one to try rolls.
      </Empty>
    );
  return (
    <Stack gap="lg">
      <Card component="section" aria-label="Try it">
        <Stack gap="sm">
          <Title order={2}>Roll as a test player</Title>
          <Text size="sm" c="dimmed">
            These are real rolls of the player {TEST_PLAYER}: they count for pity and in the statistics. No items are
            given.
          </Text>
          <LiveNote>Rolls use the live catalog, without the draft.</LiveNote>
          {isDirty && (
            <Alert color="yellow" icon={<IconInfoCircle />}>
              You have unsaved changes. Rolls use the saved version.
            </Alert>
          )}
          {type === 'roguelike' && (
            <NumberInput
              label="Depth"
              min={0}
              max={1000}
              allowDecimal={false}
              maw={140}
              value={depth}
              onChange={setDepth}
            />
          )}
          <Group>
            <Button loading={roll.isPending} onClick={() => roll.mutate(1)}>
              {type === 'idle' ? 'Claim accrued rolls' : `One ${one}`}
            </Button>
            {type !== 'idle' && (
              <Button variant="default" loading={roll.isPending} onClick={() => roll.mutate(10)}>
                Ten {many}
              </Button>
            )}
            <Button variant="subtle" color="gray" loading={forget.isPending} onClick={() => forget.mutate(undefined)}>
              Start over
            </Button>
          </Group>
        </Stack>
      </Card>
      {result?.state && <PlayerState state={result.state} type={type} options={options} />}
      {result !== undefined && (
        <section aria-label="Results" aria-live="polite">
          {result.rolls.length === 0 ? (
            <Empty title="Nothing yet">
              {type === 'idle' ? 'The clock has started; rolls accrue from now on.' : 'No results.'}
            </Empty>
          ) : (
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              {result.rolls.map((rolled, place) => (
                <RollCard
                  // biome-ignore lint/suspicious/noArrayIndexKey: the results of one call never change their order.
                  key={place}
                  result={rolled}
                  items={items}
                  options={options}
                  marks={[...(rolled.pity ? ['pity'] : []), ...(rolled.featured ? ['featured'] : [])]}
                />
              ))}
            </SimpleGrid>
          )}
        </section>
      )}
    </Stack>
  );
};
