import { Badge, Button, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../interface/client.ts';
import { useSecrets } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import { confirmLoss } from '../../parts/confirm.tsx';
import { formatMoment } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { ActionsHeader } from '../../parts/table-card.tsx';
import { NewSecret } from './new-secret.tsx';

const COLOURS = { read: 'gray', support: 'teal', design: 'grape', write: 'blue', admin: 'orange' } as const;

const SecretTable = ({ secrets }: { secrets: readonly Schemas['Secret'][] }) => {
  const revoke = useChange({
    run: (api, { id }: Schemas['Secret']) => api.secrets.revoke(id),
    done: (_, { name }) => `${name} revoked`,
    failed: 'Could not revoke',
  });
  return (
    <Table.ScrollContainer minWidth="calc(520px * var(--console-wide))" type="native" tabIndex={0}>
      <Table aria-label="Secrets">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th visibleFrom="sm">Created</Table.Th>
            <ActionsHeader />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {secrets.map((secret) => (
            <Table.Tr key={secret.id}>
              <Table.Td>
                <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {secret.name}
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {formatMoment(secret.createdAt)}
                </Text>
              </Table.Td>
              <Table.Td>
                <Badge variant="dot" color={COLOURS[secret.role]} miw="max-content">
                  {secret.role}
                </Badge>
              </Table.Td>
              <Table.Td visibleFrom="sm">{formatMoment(secret.createdAt)}</Table.Td>
              <Table.Td ta="right">
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  aria-label={`Revoke ${secret.name}`}
                  onClick={() =>
                    confirmLoss({
                      title: `Revoke ${secret.name}?`,
                      text: 'Requests with it are rejected immediately. If you signed in with it, you are signed out. This cannot be undone.',
                      action: 'Revoke secret',
                      run: () => revoke.mutate(secret),
                    })
                  }
                >
                  Revoke
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
};

export const Secrets = () => {
  const secrets = useSecrets();
  const [isCreating, setCreating] = useState(false);
  return (
    <Card component="section" aria-label="Secrets">
      <Stack gap="sm">
        <Group justify="space-between">
          <div>
            <Title order={2}>Secrets</Title>
            <Text size="sm" c="dimmed">
              Create one per server and person, so that each can be revoked separately.
            </Text>
          </div>
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            New secret
          </Button>
        </Group>
        <Loaded query={secrets} lines={3}>
          {(rows) => <SecretTable secrets={rows} />}
        </Loaded>
      </Stack>
      {isCreating && <NewSecret onClose={() => setCreating(false)} />}
    </Card>
  );
};
