import { Alert, Badge, Button, Code, Group, Stack, VisuallyHidden } from '@mantine/core';
import { IconDownload, IconInfoCircle, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useChange, useFairness, usePermissions } from '../../api/requests.ts';
import { IconButton, MoreButton } from '../../parts/buttons.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format.ts';
import { EmptyCard, Loaded } from '../../parts/loaded.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Section } from '../../parts/section.tsx';
import { Note, ServiceLink, Strong } from '../../parts/text.tsx';
import { readProof } from './proof.ts';

type State = Schemas['PlayerFairness'];

const EPOCHS_AT_ONCE = 5;

const HASH_SHOWN = 12;

/** The beginning of a hash, and all of it to copy. */
const ShortHash = ({ hash, name }: { hash: string; name: string }) => (
  <Group gap={6}>
    <Code title={hash} style={{ whiteSpace: 'nowrap', overflow: 'visible' }}>
      {hash.slice(0, HASH_SHOWN)}…
    </Code>
    <Copy text={hash} size="compact-xs" what={`the ${name}`} />
  </Group>
);

const SeedsCard = ({ state }: { state: State }) => {
  const { epoch, clientSeed, commitment, nextCommitment, nextManifest, nonce, head, mustRotate } = state;
  const isReady = epoch !== null && !mustRotate;
  const hash = (value: string | null, name: string) => value !== null && <ShortHash hash={value} name={name} />;
  return (
    <Section
      title="Seeds"
      aside={
        <Badge variant="dot" color={isReady ? 'green' : 'yellow'}>
          {isReady ? 'ready to roll' : 'must choose a client seed'}
        </Badge>
      }
    >
      {!isReady && (
        <Alert color="yellow" icon={<IconInfoCircle />}>
          {epoch === null
            ? 'Verifiable rolls are rejected until the player chooses a client seed.'
            : 'A configuration has changed since then. Rolls on it are rejected until the player chooses another client seed.'}
        </Alert>
      )}
      <Facts
        labelWidth={140}
        facts={{
          Epoch: epoch !== null && formatCount(epoch),
          'Client seed': clientSeed !== null && <Code>{clientSeed}</Code>,
          Commitment: hash(commitment, 'commitment'),
          Rolls: nonce !== null && formatCount(nonce),
          'Last receipt': hash(nonce ? head : null, 'last receipt'),
          'Next commitment': hash(nextCommitment, 'next commitment'),
          'Next manifest': hash(nextManifest, 'next manifest'),
        }}
      />
    </Section>
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
        <Strong>Epoch {formatCount(epoch)}</Strong>
        <Note>{isCurrent ? 'Sealed until the player rotates' : 'Revealed: every roll can be checked'}</Note>
      </div>
      <IconButton icon={IconDownload} size="xs" loading={download.isPending} onClick={() => download.mutate(undefined)}>
        Download proof
        <VisuallyHidden>&nbsp;of epoch {epoch}</VisuallyHidden>
      </IconButton>
    </Group>
  );
};

const ProofsCard = ({ userId, epoch }: { userId: string; epoch: number }) => {
  const [count, setCount] = useState(EPOCHS_AT_ONCE);
  const shown = Math.min(count, epoch + 1);
  return (
    <Section
      title="Proofs"
      about={
        <Note>
          A proof contains all receipts of an epoch. Anyone can check it at{' '}
          <ServiceLink path="/verify">/verify</ServiceLink>, or with a saved copy of that page. A long proof is split
          into several files.
        </Note>
      }
    >
      {Array.from({ length: shown }, (_, place) => epoch - place).map((one) => (
        <ProofRow key={one} userId={userId} epoch={one} isCurrent={one === epoch} />
      ))}
      {shown <= epoch && (
        <MoreButton ml={-8} onClick={() => setCount(count + 4 * EPOCHS_AT_ONCE)}>
          Show earlier epochs
        </MoreButton>
      )}
    </Section>
  );
};

const RotationNote = ({ userId }: { userId: string }) => (
  <Note>
    Only the player can choose a client seed, in your game: show the next commitment and manifest, let them enter any
    text, and send all three with <Code style={{ overflowWrap: 'anywhere' }}>POST /users/{userId}/fairness/rotate</Code>
    . That reveals the old server seed and begins the next epoch.
  </Note>
);

const NoSeeds = ({ userId }: { userId: string }) => {
  const { canSupport } = usePermissions();
  const start = useChange({
    run: (api) => api.fairness.start(userId),
    failed: 'Could not start',
  });
  return (
    <EmptyCard
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
      <Code>POST /users/{userId}/fairness</Code>.{!canSupport && ' This needs a secret with the role support or write.'}
    </EmptyCard>
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
