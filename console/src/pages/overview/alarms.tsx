import { Alert, Stack } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import { asSentence, type Schemas } from '../../api/client.ts';
import { useEvidence } from '../../api/requests.ts';
import { useDrafts } from '../../catalog/draft.ts';
import { sourceName, verdictOf, verdictWords } from '../../parts/evidence.ts';
import { formatMoment } from '../../parts/format.ts';
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

const MAX_SHOWN = 3;

/** Configurations whose results do not keep the odds; nothing if there are none, or until they are known. */
export const OddsAlarms = ({ templates }: { templates: readonly Schemas['Template'][] }) =>
  (useEvidence().data ?? [])
    .filter((stream) => verdictOf(stream) === 'alarm')
    .slice(0, MAX_SHOWN)
    .map((stream) => (
      <Alert
        key={stream.config}
        color="red"
        icon={<IconAlertTriangle />}
        title={`Alarm: results of ${sourceName(stream.templateId, templates)} do not fit the odds`}
        role="alert"
      >
        <Stack gap={4} align="flex-start">
          {verdictWords(stream)}
          {stream.alarmedAt !== null && `, since ${formatMoment(stream.alarmedAt)}`}.
          <TextLink href="/statistics">See the results</TextLink>
        </Stack>
      </Alert>
    ));
