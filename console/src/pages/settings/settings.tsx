import { Code, SimpleGrid, Text } from '@mantine/core';
import { usePermissions, useTeam } from '../../api/requests.ts';
import { Copy } from '../../parts/copy.tsx';
import { curlCommand } from '../../parts/curl.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatMoment } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { ServiceLink } from '../../parts/text.tsx';
import { PlainRolls } from './plain-rolls.tsx';
import { Secrets } from './secrets.tsx';

const TeamCard = () => (
  <Section title="Team">
    <Loaded query={useTeam()} lines={3}>
      {({ id, name, role, createdAt }) => (
        <Facts facts={{ Name: name, 'Team id': id, 'Your role': role, Since: formatMoment(createdAt) }} />
      )}
    </Loaded>
  </Section>
);

const InterfaceCard = () => {
  const teamId = useTeam().data?.id ?? '';
  const command = curlCommand({ path: '/team' });
  return (
    <Section title="API">
      <Text size="sm">
        Your servers call the service as <Code>{teamId}</Code> with a secret. Every page has a button that shows its
        request as a curl command.
      </Text>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {command}
      </Code>
      <Copy text={command} size="xs" style={{ alignSelf: 'flex-start' }} />
      <Text size="sm">
        <ServiceLink path="/guides/">Guides</ServiceLink>
        {' · '}
        <ServiceLink path="/docs/">API reference</ServiceLink>
        {' · '}
        <ServiceLink path="/openapi.json">openapi.json</ServiceLink>
      </Text>
    </Section>
  );
};

export const Settings = () => {
  const { canAdminister } = usePermissions();
  return (
    <Page title="Settings" about="Your team, its fairness, secrets and API access." curl={{ path: '/secrets' }}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <TeamCard />
        <InterfaceCard />
      </SimpleGrid>
      <PlainRolls />
      {canAdminister ? (
        <Secrets />
      ) : (
        <Section title="Secrets" about="Sign in with an admin secret to see and create secrets." />
      )}
    </Page>
  );
};
