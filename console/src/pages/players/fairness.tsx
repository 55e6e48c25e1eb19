import { Alert, Badge, Button, Card, Code, DataList, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconDownload, IconInfoCircle, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../interface/client.ts';
import { useFairness, usePermissions } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatCount } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { ServiceLink } from '../../parts/service-link.tsx';
import { readProof } from './proof.ts';
import { ShortHash } from './short-hash.tsx';

type State = Schemas['PlayerFairness'];

const EPOCHS_AT_ONCE = 5;

const SeedsCard = ({ state }: { state: State }) => {
  const { epoch, clientSeed, commitment, nextCommitment, nextManifest, nonce, head, mustRotate } = state;
  const isReady = epoch !== null && !mustRotate;
  const facts = [
    ...(epoch === null ? [] : [['Epoch', formatCount(epoch)] as const]),
    ...(clientSeed === null ? [] : [['Client seed', <Code key="seed">{clientSeed}</Code>] as const]),
    ...(commitment === null
      ? []
      : [['Commitment', <ShortHash key="commitment" hash={commitment} name="commitment" />] as const]),
    ...(nonce === null ? [] : [['Rolls', formatCount(nonce)] as const]),
    ...(nonce === null || nonce === 0 || head === null
      ? []
      : [['Last receipt', <ShortHash key="head" hash={head} name="last receipt" />] as const]),
    ['Next commitment', <ShortHash key="next" hash={nextCommitment} name="next commitment" />] as const,
    ['Next manifest', <ShortHash key="manifest" hash={nextManifest} name="next manifest" />] as const,
  ];
  return (
    <Card component="section" aria-label="Seeds">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>Seeds</Title>
          <Badge variant="dot" color={isReady ? 'green' : 'yellow'}>
            {isReady ? 'ready to roll' : 'must choose a client seed'}
          </Badge>
        </Group>
        {!isReady && (
          <Alert color="yellow" icon={<IconInfoCircle />}>
            {epoch === null
              ? 'Verifiable rolls are rejected until the player chooses a client seed.'
              : 'A configuration has changed since then. Rolls on it are rejected until the player chooses another client seed.'}
          </Alert>
        )}
        <DataList orientation="horizontal" labelWidth={140}>
          {facts.map(([label, value]) => (
            <DataList.Item key={label}>
              <DataList.ItemLabel>{label}</DataList.ItemLabel>
              <DataList.ItemValue style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{value}</DataList.ItemValue>
            </DataList.Item>
          ))}
        </DataList>
      </Stack>
    </Card>
  );
};

const ProofRow = ({ userId, epoch, isCurrent }: { userId: string; epoch: number; isCurrent: boolean }) => {
  const download = useChange({
    run: async (api) => {
      for await (const { name, text } of readProof(api, userId, epoch)) saveFile(name, text, 'application/json');
    },
    failed: 'Could not download the proof',
  });
  return (
    <Group justify="space-between" gap="xs">
      <div>
        <Text size="sm" fw={600}>
          Epoch {formatCount(epoch)}
        </Text>
        <Text size="sm" c="dimmed">
          {isCurrent ? 'Sealed until the player rotates' : 'Revealed: every roll can be checked'}
        </Text>
      </div>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconDownload size={16} />}
        loading={download.isPending}
        onClick={() => download.mutate(undefined)}
      >
        Download proof
        <VisuallyHidden>&nbsp;of epoch {epoch}</VisuallyHidden>
      </Button>
    </Group>
  );
};

const ProofsCard = ({ userId, epoch }: { userId: string; epoch: number }) => {
  const [count, setCount] = useState(EPOCHS_AT_ONCE);
  const shown = Math.min(count, epoch + 1);
  return (
    <Card component="section" aria-label="Proofs">
      <Stack gap="sm">
        <Title order={2}>Proofs</Title>
        <Text size="sm" c="dimmed">
          A proof contains all receipts of an epoch. Anyone can check it at{' '}
          <ServiceLink path="/verify" inherit>
            /verify
          </ServiceLink>
          , or with a saved copy of that page. A long proof is split into several files.
        </Text>
        {Array.from({ length: shown }, (_, place) => epoch - place).map((one) => (
          <ProofRow key={one} userId={userId} epoch={one} isCurrent={one === epoch} />
        ))}
        {shown <= epoch && (
          <Button
            variant="subtle"
            size="compact-sm"
            ml={-8}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => setCount(count + 4 * EPOCHS_AT_ONCE)}
          >
            Show earlier epochs
          </Button>
        )}
      </Stack>
    </Card>
  );
};

const RotationNote = ({ userId }: { userId: string }) => (
  <Text size="sm" c="dimmed">
    Only the player can choose a client seed, in your game: show the next commitment and manifest, let them enter any
    text, and send all three with <Code style={{ overflowWrap: 'anywhere' }}>POST /users/{userId}/fairness/rotate</Code>
    . That reveals the old server seed and begins the next epoch.
  </Text>
);

const NoSeeds = ({ userId }: { userId: string }) => {
  const { canSupport } = usePermissions();
  const start = useChange({
    run: (api) => api.fairness.start(userId),
    failed: 'Could not start',
  });
  return (
    <Card>
      <Empty
        title="No seeds yet"
        icon={IconShieldCheck}
        action={
          <Button disabled={!canSupport} loading={start.isPending} onClick={() => start.mutate(undefined)}>
            Start
          </Button>
        }
      >
        Verifiable rolls need a hidden server seed, which the service commits to, and a client seed, which the player
        chooses. <b>Start</b> creates the server seed. Your game can do the same with{' '}
        <Code>POST /users/{userId}/fairness</Code>.
        {!canSupport && ' This needs a secret with the role support or write.'}
      </Empty>
    </Card>
  );
};

/** What a player needs to check rolls. */
export const Fairness = ({ userId }: { userId: string }) => (
  <Loaded query={useFairness(userId)}>
    {(state) =>
      state === null ? (
        <NoSeeds userId={userId} />
      ) : (
        <Stack gap="lg">
          <SeedsCard state={state} />
          {state.epoch !== null && <ProofsCard userId={userId} epoch={state.epoch} />}
          <RotationNote userId={userId} />
        </Stack>
      )
    }
  </Loaded>
);
