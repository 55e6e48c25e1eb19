import { Alert, Button, Code, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { explain, type Schemas } from '../../api/client.ts';
import { useChange } from '../../api/requests.ts';
import { Copy } from '../../parts/copy.tsx';
import { FaultList } from '../../parts/faults.tsx';
import { Strong } from '../../parts/text.tsx';

const ROLES = [
  { value: 'read', label: 'Read', about: 'Can read everything except secrets. For dashboards.' },
  {
    value: 'support',
    label: 'Support',
    about: 'Can also roll for players and change what they own. For player support.',
  },
  { value: 'design', label: 'Design', about: 'Can read, and change the catalog. For game designers.' },
  { value: 'write', label: 'Write', about: 'Can do all of that. For game servers.' },
  { value: 'admin', label: 'Admin', about: 'Can also create and revoke secrets. For people.' },
] as const;

const Shown = ({ created, onClose }: { created: Schemas['CreatedSecret']; onClose: () => void }) => (
  <Stack>
    <Alert color="yellow" icon={<IconAlertTriangle />}>
      The secret is shown only once. Copy it now.
    </Alert>
    <div>
      <Strong mb={4}>
        {created.name} ({created.role})
      </Strong>
      <Code block data-testid="secret" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {created.secret}
      </Code>
    </div>
    <Group justify="flex-end">
      <Copy text={created.secret} label="Copy secret" />
      <Button onClick={onClose}>I have saved it</Button>
    </Group>
  </Stack>
);

export const NewSecret = ({ onClose }: { onClose: () => void }) => {
  const form = useForm<Schemas['NewSecret']>({
    initialValues: { name: '', role: 'write' },
    validate: { name: (value) => (value.trim() === '' ? 'Enter what it is for' : null) },
  });
  const create = useChange({
    run: (api, body: Schemas['NewSecret']) => api.secrets.create(body),
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={create.data === undefined ? 'New secret' : 'Your new secret'}
      closeOnClickOutside={create.data === undefined}
    >
      {create.data !== undefined ? (
        <Shown created={create.data} onClose={onClose} />
      ) : (
        <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
          <Stack>
            <FaultList faults={create.error === null ? [] : [explain(create.error)]} title="Could not create it" />
            <TextInput
              label="Name"
              description="Who or what uses it."
              placeholder="game server"
              withAsterisk
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Radio.Group label="Role" {...form.getInputProps('role')}>
              <Stack gap="xs" mt={6}>
                {ROLES.map(({ value, label, about }) => (
                  <Radio key={value} value={value} label={label} description={about} />
                ))}
              </Stack>
            </Radio.Group>
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Create secret
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
};
