import { Button, Grid, Group, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { IconDice5 } from '@tabler/icons-react';
import { useState } from 'react';
import { type Api, orNull, type Schemas } from '../../api/client.ts';
import { notifyError, useChange, usePermissions } from '../../api/requests.ts';
import { useBasis } from '../../catalog/drafted.ts';
import { useCatalogItems, useItemRows, useOptions } from '../../catalog/reads.ts';
import { confirmLoss } from '../../parts/confirm.tsx';
import { Empty, EmptyCard, Loaded } from '../../parts/loaded.tsx';
import { OptionSelect } from '../../parts/options.tsx';
import { Page } from '../../parts/page.tsx';
import { RollCard, type TestRoll, TestRollCard } from '../../parts/roll-card.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail, LinkButton } from '../../parts/text.tsx';
import { useApi } from '../../session/session.tsx';

const MAX_KEPT = 12;

type Result = { readonly live: Schemas['RollResult'] } | { readonly test: TestRoll };

type Kept = Result & { readonly number: number };

const Rolled = ({ kept, size }: { kept: Kept; size?: number }) => {
  const items = useItemRows();
  return 'live' in kept ? (
    <RollCard result={kept.live} size={size} />
  ) : (
    <TestRollCard roll={kept.test} item={items.find(({ id }) => id === kept.test.itemId)} size={size} />
  );
};

interface Asked {
  readonly wanted: readonly string[];
  /** Who gets the item; empty: nobody. */
  readonly receiver: string;
  /** The draft that is rolled on; undefined for the live catalog. */
  readonly draftId: string | undefined;
}

/** A plain roll. On a draft, it is that of a template without rules on the same pool. */
const rollOn = async (api: Api, { wanted, receiver, draftId }: Asked): Promise<Result> => {
  const classifierOptionIds = [...wanted];
  if (draftId !== undefined) {
    const config = wanted.length === 0 ? {} : { pool: { classifierOptionIds } };
    const { rolls } = await api.templates.testRolls({ type: 'gacha', config, draftId });
    return { test: rolls[0] as TestRoll };
  }
  const live = await api.items.roll({
    ...(wanted.length > 0 && { classifierOptionIds }),
    ...(receiver === '' ? { test: true } : { userId: receiver }),
  });
  return { live };
};

const rollNote = (canRoll: boolean, { receiver, draftId }: Asked): string => {
  if (!canRoll) return 'Rolling requires a secret with the role support or write.';
  if (draftId !== undefined) return 'These are test rolls on the draft: nothing is recorded or given.';
  if (receiver === '') return 'These are test rolls: nothing is recorded or given.';
  return `This is a real roll: ${receiver} gets the item, and it counts in the statistics.`;
};

const Lab = () => {
  const { canSupport } = usePermissions();
  const api = useApi();
  const { draftId } = useBasis();
  const canRoll = canSupport || draftId !== undefined;
  const [wanted, setWanted] = useState<string[]>([]);
  const [userId, setUserId] = useState('');
  const [results, setResults] = useState<readonly Kept[]>([]);
  const [isLooking, setLooking] = useState(false);
  const asked: Asked = { wanted, receiver: draftId === undefined ? userId.trim() : '', draftId };
  const roll = useChange({ run: (through, request: Asked) => rollOn(through, request), failed: 'Could not roll' });
  const rollNow = () =>
    roll.mutate(asked, {
      onSuccess: (result) =>
        setResults((kept) => [{ number: (kept[0]?.number ?? 0) + 1, ...result }, ...kept].slice(0, MAX_KEPT)),
    });
  /** The service creates players by their first roll, which must not happen by a typing mistake. */
  const rollForKnown = async () => {
    setLooking(true);
    try {
      if (asked.receiver === '' || (await orNull(api.users.get(asked.receiver))) !== null) return rollNow();
      confirmLoss({
        title: `There is no player ${asked.receiver}`,
        text: 'Check the id. If you go on, a player with this id is created and gets the item.',
        action: 'Create the player and roll',
        keep: 'Change the id',
        run: rollNow,
      });
    } catch (error) {
      notifyError('Could not look for the player', error);
    } finally {
      setLooking(false);
    }
  };
  const [latest, ...earlier] = results;
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Section title="Roll" gap="md">
          <OptionSelect
            label="Only items with these options"
            description="Items need one of the options of each classifier."
            none="any item"
            options={useOptions()}
            value={wanted}
            onChange={setWanted}
          />
          {draftId === undefined && (
            <TextInput
              label="Give it to"
              description="Id of the player who gets the item. Empty: nobody."
              placeholder="nobody"
              value={userId}
              onChange={(event) => setUserId(event.currentTarget.value)}
            />
          )}
          <Button
            size="md"
            leftSection={<IconDice5 size={20} />}
            disabled={!canRoll}
            loading={roll.isPending || isLooking}
            onClick={rollForKnown}
          >
            Roll
          </Button>
          <Detail>{rollNote(canRoll, asked)}</Detail>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="lg" aria-live="polite">
          {latest === undefined ? (
            <EmptyCard title="No rolls yet" icon={IconDice5}>
              Roll to see an item with its attribute values.
            </EmptyCard>
          ) : (
            <Rolled key={latest.number} kept={latest} size={96} />
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
                {earlier.map((kept) => (
                  <Rolled key={kept.number} kept={kept} />
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
      <Loaded query={useCatalogItems()} empty={empty}>
        {() => <Lab />}
      </Loaded>
    </Page>
  );
};
