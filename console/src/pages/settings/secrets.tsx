import { Badge, Button } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useChange, useSecrets } from '../../api/requests.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { confirmLoss } from '../../parts/confirm.tsx';
import { actions, type Column, DataTable } from '../../parts/data-table.tsx';
import { formatMoment } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail, Strong } from '../../parts/text.tsx';
import { NewSecret } from './new-secret.tsx';

const COLOURS = { read: 'gray', support: 'teal', design: 'grape', write: 'blue', admin: 'orange' } as const;

const COLUMNS: readonly Column<Schemas['Secret']>[] = [
  {
    header: 'Name',
    cell: ({ name, createdAt }) => (
      <>
        <Strong style={{ overflowWrap: 'anywhere' }}>{name}</Strong>
        <Detail hiddenFrom="sm">{formatMoment(createdAt)}</Detail>
      </>
    ),
  },
  {
    header: 'Role',
    cell: ({ role }) => (
      <Badge variant="dot" color={COLOURS[role]} miw="max-content">
        {role}
      </Badge>
    ),
  },
  { header: 'Created', visibleFrom: 'sm', cell: ({ createdAt }) => formatMoment(createdAt) },
];

export const Secrets = () => {
  const secrets = useSecrets();
  const [isCreating, setCreating] = useState(false);
  const revoke = useChange({
    run: (api, { id }: Schemas['Secret']) => api.secrets.revoke(id),
    done: (_, { name }) => `${name} revoked`,
    failed: 'Could not revoke',
  });
  const askToRevoke = (secret: Schemas['Secret']) =>
    confirmLoss({
      title: `Revoke ${secret.name}?`,
      text: 'Requests with it are rejected immediately. If you signed in with it, you are signed out. This cannot be undone.',
      action: 'Revoke secret',
      run: () => revoke.mutate(secret),
    });
  const buttons = actions<Schemas['Secret']>((secret) => (
    <Button
      variant="subtle"
      color="red"
      size="compact-sm"
      aria-label={`Revoke ${secret.name}`}
      onClick={() => askToRevoke(secret)}
    >
      Revoke
    </Button>
  ));
  return (
    <Section
      title="Secrets"
      about="Create one per server and person, so that each can be revoked separately."
      aside={<NewButton onClick={() => setCreating(true)}>New secret</NewButton>}
    >
      <Loaded query={secrets} lines={3}>
        {(rows) => (
          <DataTable
            label="Secrets"
            columns={[...COLUMNS, buttons]}
            rows={rows}
            keyOf={({ id }) => id}
            minWidth={520}
          />
        )}
      </Loaded>
      {isCreating && <NewSecret onClose={() => setCreating(false)} />}
    </Section>
  );
};
