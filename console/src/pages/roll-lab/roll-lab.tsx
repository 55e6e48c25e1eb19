import { Button, Grid, Group, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { IconDice5 } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useChange, useItems, usePermissions } from '../../api/requests.ts';
import { LiveNote } from '../../catalog/marks.tsx';
import { useLiveOptions } from '../../catalog/reads.ts';
import { Empty, EmptyCard, Loaded } from '../../parts/loaded.tsx';
import { OptionSelect } from '../../parts/options.tsx';
import { Page } from '../../parts/page.tsx';
import { RollCard } from '../../parts/roll-card.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail, LinkButton } from '../../parts/text.tsx';

const MAX_KEPT = 12;

interface Kept {
  readonly number: number;
  readonly result: Schemas['RollResult'];
}

const rollNote = (canRoll: boolean, receiver: string): string => {
  if (!canRoll) return 'Rolling requires a secret with the role support or write.';
  if (receiver === '') return 'These are test rolls: nothing is recorded or given.';
  return `This is a real roll: ${receiver} gets the item, and it counts in the statistics.`;
};

const Lab = () => {
  const { canSupport } = usePermissions();
  const options = useLiveOptions();
  const [wanted, setWanted] = useState<string[]>([]);
  const [userId, setUserId] = useState('');
  const [results, setResults] = useState<readonly Kept[]>([]);
  const roll = useChange({
    run: (api, body: Schemas['RollRequest']) => api.items.roll(body),
    failed: 'Could not roll',
  });
  const [latest, ...earlier] = results;
  const receiver = userId.trim();
  const rollNow = () =>
    roll.mutate(
      {
        ...(wanted.length > 0 && { classifierOptionIds: wanted }),
        ...(receiver === '' ? { test: true } : { userId: receiver }),
      },
      {
        onSuccess: (result) =>
          setResults((kept) => [{ number: (kept[0]?.number ?? 0) + 1, result }, ...kept].slice(0, MAX_KEPT)),
      },
    );
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Section title="Roll" gap="md">
          <OptionSelect
            label="Only items with these options"
            description="Items need one of the options of each classifier."
            none="any item"
            options={options}
            value={wanted}
            onChange={setWanted}
          />
          <TextInput
            label="Give it to"
            description="Id of the player who gets the item. Empty: nobody."
            placeholder="nobody"
            value={userId}
            onChange={(event) => setUserId(event.currentTarget.value)}
          />
          <Button
            size="md"
            leftSection={<IconDice5 size={20} />}
            disabled={!canSupport}
            loading={roll.isPending}
            onClick={rollNow}
          >
            Roll
          </Button>
          <Detail>{rollNote(canSupport, receiver)}</Detail>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="lg" aria-live="polite">
          {latest === undefined ? (
            <EmptyCard title="No rolls yet" icon={IconDice5}>
              Roll to see an item with its attribute values.
            </EmptyCard>
          ) : (
            <RollCard key={latest.number} result={latest.result} size={96} />
          )}
          {earlier.length > 0 && (
            <Stack gap="sm">
              <Group justify="space-between">
                <Title order={2}>Previous rolls</Title>
                <Button variant="subtle" color="gray" size="xs" onClick={() => setResults([])}>
                  Clear
                </Button>
              </Group>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                {earlier.map(({ number, result }) => (
                  <RollCard key={number} result={result} />
                ))}
              </SimpleGrid>
            </Stack>
          )}
        </Stack>
      </Grid.Col>
    </Grid>
  );
};

export const RollLab = () => {
  const empty = (
    <Empty title="Nothing to roll" icon={IconDice5} action={<LinkButton href="/new-item">Create an item</LinkButton>}>
      The catalog is empty.
    </Empty>
  );
  return (
    <Page
      title="Roll lab"
      about="Roll like your game would, on all items or some of them."
      curl={{ method: 'POST', path: '/items/roll', body: { test: true } }}
    >
      <LiveNote>Rolls use the live catalog, without the draft.</LiveNote>
      <Loaded query={useItems()} empty={empty}>
        {() => <Lab />}
      </Loaded>
    </Page>
  );
};
