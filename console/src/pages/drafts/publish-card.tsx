import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconClock, IconRocket } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { useChange } from '../../api/requests.ts';
import type { Draft } from '../../catalog/api.ts';
import { storeChoice, useChoice, useTeamId } from '../../catalog/draft.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { FaultList, faultsOf } from '../../parts/faults.tsx';
import { formatMoment } from '../../parts/format.ts';
import { Section } from '../../parts/section.tsx';
import { Note } from '../../parts/text.tsx';

interface PublishCardProps {
  readonly draft: Draft;
  /** Why it cannot be published now; undefined if it can. */
  readonly obstacle: string | undefined;
  /** Whether the catalog has moved on without touching what the draft changes. */
  readonly mayRebase: boolean;
}

const Scheduled = ({ draft, onCancel, isBusy }: { draft: Draft; onCancel: () => void; isBusy: boolean }) => (
  <Alert color="blue" icon={<IconClock />} title="Scheduled" role="note">
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        It will be published on {formatMoment(draft.publishAt ?? '')}
        {draft.rebase && ', moved to the version that is current then'}
        {draft.announce && ', and is announced on public pages'}.
        {draft.message !== null && ` Message: ${draft.message}`}
      </Text>
      <Button size="xs" variant="default" loading={isBusy} onClick={onCancel}>
        Take it off the schedule
      </Button>
    </Stack>
  </Alert>
);

/** Publishes a draft, now or at a time. */
export const PublishCard = ({ draft, obstacle, mayRebase }: PublishCardProps) => {
  const form = useForm({ initialValues: { message: draft.message ?? '', time: '', rebase: true, announce: false } });
  const { time, rebase, announce } = form.values;
  const [isLater, setLater] = useState(false);
  const [, navigate] = useLocation();
  const teamId = useTeamId();
  const choice = useChoice();
  const change = useChange({
    run: async (api, body: Schemas['CatalogDraftPublication']) => {
      const published = await api.catalogDrafts.publish(draft.id, body);
      if (published.version !== null) {
        // Before anything is refetched: the draft is not missing, it was published.
        if (choice.to === 'draft' && choice.id === draft.id) storeChoice(teamId, { to: 'new draft' });
        navigate(`/history/${published.version.version}`);
      }
      return published;
    },
    done: ({ version }) => (version === null ? 'Saved' : `Published as version ${version.version}`),
  });
  const message = form.values.message.trim();
  const own = message === '' ? {} : { message };
  const publishNow = () => change.mutate({ ...own, ...(mayRebase && { rebase: true }) });
  const schedule = () => {
    const at = new Date(time);
    if (at.getTime() <= Date.now()) return form.setFieldError('time', 'This is in the past: choose a later time');
    change.mutate({ ...own, rebase, announce, at: at.toISOString() }, { onSuccess: () => setLater(false) });
  };
  return (
    <Section title="Publish" gap="md">
      <FaultList title="Could not publish" faults={faultsOf(change.error).others} />
      {draft.publishAt !== null && (
        <Scheduled draft={draft} isBusy={change.isPending} onCancel={() => change.mutate({ at: null })} />
      )}
      <TextInput
        label="Message"
        description="For the history. If left empty, the name of the draft is used."
        placeholder={draft.name}
        maxLength={500}
        {...form.getInputProps('message')}
      />
      {isLater && (
        <Stack gap="sm">
          <TextInput
            type="datetime-local"
            label="Publish at"
            description="In the time zone of your browser."
            maw={260}
            {...form.getInputProps('time')}
          />
          <Checkbox
            label="If the catalog has changed by then, rebase the draft first"
            description="It is not published if both have changed the same entity."
            {...form.getInputProps('rebase', { type: 'checkbox' })}
          />
          <Checkbox
            label="Announce it on the public pages of templates"
            description="Anyone can then read from when on which odds change, and the names of new items."
            {...form.getInputProps('announce', { type: 'checkbox' })}
          />
        </Stack>
      )}
      {obstacle !== undefined && <Note>{obstacle}</Note>}
      <Group gap="sm">
        {isLater ? (
          <>
            <Button loading={change.isPending} disabled={time === '' || draft.changes.length === 0} onClick={schedule}>
              Schedule
            </Button>
            <Button variant="default" onClick={() => setLater(false)}>
              Cancel
            </Button>
          </>
        ) : (
          <>
            <IconButton
              variant="filled"
              icon={IconRocket}
              loading={change.isPending}
              disabled={obstacle !== undefined}
              onClick={publishNow}
            >
              Publish now
            </IconButton>
            <IconButton icon={IconClock} disabled={draft.changes.length === 0} onClick={() => setLater(true)}>
              Publish at a time
            </IconButton>
          </>
        )}
      </Group>
    </Section>
  );
};
