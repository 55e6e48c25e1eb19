import { Alert, Box, Switch } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Schemas } from '../../api/client.ts';
import { useTemplates } from '../../api/requests.ts';
import { useTeamId } from '../../catalog/draft.ts';
import { Section } from '../../parts/section.tsx';
import { Note, ServiceLink } from '../../parts/text.tsx';
import { fieldOf, useTemplateForm } from './form-fields.tsx';

/** Where anyone can read the odds, once they are public. */
const PublicPage = ({ id }: { id: string | undefined }) => {
  const teamId = useTeamId();
  const isPublic = useTemplates().data?.rows.find((row) => row.id === id)?.disclosure === 'public';
  if (id === undefined) return 'It gets its own page when you save it.';
  const path = `/public/${encodeURIComponent(teamId)}/templates/${encodeURIComponent(id)}`;
  return isPublic ? (
    <ServiceLink path={path}>Open the public page</ServiceLink>
  ) : (
    'It gets a public page as soon as this is live.'
  );
};

/** What players and the public can check. */
export const TrustSection = ({ template }: { template: Schemas['Template'] | undefined }) => {
  const id = template?.id;
  const shared = useTemplateForm();
  const { verifiable, isPublic } = shared.form.values;
  return (
    <Section title="Fairness" gap="md">
      <div>
        <Switch
          label="Verifiable rolls"
          description="Every roll leaves a receipt that lets the player check it. Rolls then need a player who has chosen a client seed."
          {...fieldOf(shared, 'verifiable', 'checkbox')}
        />
        {verifiable && (
          <Box mt={6} ps={50}>
            {template !== undefined && !template.verifiable && (
              <Alert color="yellow" icon={<IconAlertTriangle />} role="note" mb={6}>
                As soon as this is live, players who have not chosen a client seed are refused.
              </Alert>
            )}
            <Note>
              <ServiceLink path="/verify">Where players check their rolls</ServiceLink>
            </Note>
          </Box>
        )}
      </div>
      <div>
        <Switch
          label="Public odds"
          description="Anyone can read the odds, their history and the results, without signing in."
          {...fieldOf(shared, 'isPublic', 'checkbox')}
        />
        {isPublic && (
          <Note mt={6} ps={50} style={{ overflowWrap: 'anywhere' }}>
            <PublicPage id={id} />
          </Note>
        )}
      </div>
    </Section>
  );
};
