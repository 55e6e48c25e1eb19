import { Alert, Stack } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useDrafts } from '../../catalog/draft.ts';
import { asSentence } from '../../interface/client.ts';
import { pathTo, TextLink } from '../../parts/text.tsx';

/** Drafts that could not be published when they were due. */
export const DraftFailures = () =>
  (useDrafts().data ?? [])
    .filter(({ failure }) => failure !== null)
    .map(({ id, name, failure }) => (
      <Alert key={id} color="red" icon={<IconAlertCircle />} title={`${name} was not published`} role="alert">
        <Stack gap={4} align="flex-start">
          {asSentence(failure ?? '')}
          <TextLink href={pathTo('drafts', id)}>Open the draft</TextLink>
        </Stack>
      </Alert>
    ));
