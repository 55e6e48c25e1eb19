import { Alert, Button, Card, Center, Code, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertCircle, IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { createApi, explain, hasStatus } from '../api/client.ts';
import { usePageTitle } from '../parts/page.tsx';
import { Detail, Note } from '../parts/text.tsx';
import { Logo } from '../shell/logo.tsx';
import { useSession } from './session.tsx';

export const SignIn = () => {
  usePageTitle('Sign in');
  const { signIn, endedBecause } = useSession();
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { teamId: '', secret: '' },
    validate: {
      teamId: (value) => (value.trim() === '' ? 'Enter your team id' : null),
      secret: (value) => (value === '' ? 'Enter a secret' : null),
    },
  });

  const submit = form.onSubmit(async ({ teamId, secret }) => {
    const credentials = { teamId: teamId.trim(), secret };
    setBusy(true);
    setFault(undefined);
    try {
      await createApi(credentials).team.get({ retries: 0 });
      signIn(credentials);
    } catch (error) {
      setFault(hasStatus(error, 401) ? 'Wrong team id or secret.' : explain(error));
      setBusy(false);
    }
  });

  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Stack gap={6} align="center">
          <Logo size={44} />
          <Title order={1} ta="center" mt="xs">
            Sign in to Itemwright
          </Title>
          <Note ta="center">Items, odds and inventories for your game</Note>
        </Stack>
        <Card padding="xl">
          <form onSubmit={submit} noValidate>
            <Stack>
              {endedBecause !== undefined && fault === undefined && (
                <Alert color="yellow" icon={<IconInfoCircle />} role="status">
                  {endedBecause}
                </Alert>
              )}
              {fault !== undefined && (
                <Alert color="red" icon={<IconAlertCircle />} role="alert">
                  {fault}
                </Alert>
              )}
              <TextInput
                label="Team id"
                autoComplete="username"
                autoFocus
                spellCheck={false}
                key={form.key('teamId')}
                {...form.getInputProps('teamId')}
              />
              <PasswordInput
                label="Secret"
                autoComplete="current-password"
                key={form.key('secret')}
                {...form.getInputProps('secret')}
              />
              <Button type="submit" loading={isBusy} fullWidth mt="xs">
                Sign in
              </Button>
            </Stack>
          </form>
        </Card>
        <Detail ta="center" style={{ textWrap: 'balance' }}>
          The first start of the service prints a team id and a secret. Create another one with{' '}
          <Code style={{ whiteSpace: 'nowrap' }}>npm run -s itemwright -- secret create</Code>. The secret is kept in
          this tab only.
        </Detail>
      </Stack>
    </Center>
  );
};
