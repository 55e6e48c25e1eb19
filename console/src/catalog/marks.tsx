import { Alert, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconInfoCircle, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listQuery, useChange, usePermissions } from '../api/requests.ts';
import { Empty } from '../parts/loaded.tsx';
import { LinkButton, pathTo, Strong, TextLink } from '../parts/text.tsx';
import { useApi } from '../session/session.tsx';
import { useActiveDraft, useDraftChanges } from './draft.ts';
import { type Kind, keyOf } from './entities.ts';
import { removeFromDraft } from './put-into-draft.ts';

/** How a page shows what the active draft does to an entity. */

/** The live entities of a kind, without the draft. */
const useLive = (kind: Kind, isNeeded: boolean) => useQuery({ ...listQuery(useApi(), kind), enabled: isNeeded }).data;

/** Whether an entity exists in the draft only. */
export const useIsNew = (kind: Kind, id: string): boolean => {
  const isChanged = useDraftChanges(kind).has(id);
  const live = useLive(kind, isChanged);
  return isChanged && (live?.rows.every((row) => row.id !== id) ?? false);
};

/** A badge on what the draft changes; nothing on all else. */
export const DraftBadge = ({ kind, id }: { kind: Kind; id: string }) => {
  const after = useDraftChanges(kind).get(id);
  const isNew = useIsNew(kind, id);
  if (after === undefined || after === null) return null;
  return (
    <Badge color={isNew ? 'verdigris' : 'blue'} size="sm" miw="max-content">
      {isNew ? 'new in draft' : 'changed in draft'}
    </Badge>
  );
};

/** The name of an entity that has no page of its own. */
export const NameWithBadge = ({ kind, id, name }: { kind: Kind; id: string; name: string }) => (
  <Group gap="xs">
    <Strong>{name}</Strong>
    <DraftBadge kind={kind} id={id} />
  </Group>
);

const useKeep = () => {
  const draft = useActiveDraft();
  return useChange({
    run: (api, key: string) => removeFromDraft(api, draft?.id ?? '', key),
    failed: 'Could not change the draft',
  });
};

/** What the draft deletes of a kind, with a way to keep it. */
export const DeletedInDraft = ({ kind }: { kind: Kind }) => {
  const changes = useDraftChanges(kind);
  const { canDesign } = usePermissions();
  const keep = useKeep();
  const gone = [...changes].filter(([, after]) => after === null).map(([id]) => id);
  const live = useLive(kind, gone.length > 0);
  if (gone.length === 0) return null;
  return (
    <Card component="section" aria-label="Deleted in the draft" padding="md">
      <Stack gap="xs">
        <Title order={2} size="h3">
          Deleted in the draft
        </Title>
        {gone.map((id) => {
          const name = live?.rows.find((row) => row.id === id)?.name ?? id;
          return (
            <Group key={id} gap="sm">
              <Text size="sm" td="line-through">
                {name}
              </Text>
              <Badge color="red" size="sm">
                deleted
              </Badge>
              {canDesign && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={`Keep ${name}`}
                  loading={keep.isPending}
                  onClick={() => keep.mutate(keyOf({ kind, id }))}
                >
                  Keep
                </Button>
              )}
            </Group>
          );
        })}
      </Stack>
    </Card>
  );
};

/** The page of an entity that the draft deletes says so; any other is shown. */
export const UnlessDeleted = ({ kind, id, children }: { kind: Kind; id: string; children: ReactNode }) => {
  const isDeleted = useDraftChanges(kind).get(id) === null;
  const draft = useActiveDraft();
  const { canDesign } = usePermissions();
  const keep = useKeep();
  if (!isDeleted || draft === undefined) return children;
  return (
    <Empty
      title="Deleted in this draft"
      icon={IconTrash}
      action={
        <Group justify="center">
          {canDesign && (
            <Button loading={keep.isPending} onClick={() => keep.mutate(keyOf({ kind, id }))}>
              Keep it
            </Button>
          )}
          <LinkButton href={pathTo('drafts', draft.id)} variant="default">
            See the draft
          </LinkButton>
        </Group>
      }
    >
      The {kind} still exists until {draft.name} is published.
    </Empty>
  );
};

/** Says plainly that something is about the live catalog while a draft is shown. */
export const LiveNote = ({ children }: { children: string }) => {
  const draft = useActiveDraft();
  if (draft === undefined) return null;
  return (
    <Alert color="blue" icon={<IconInfoCircle />} role="note">
      {children} What the draft does to the odds is on{' '}
      <TextLink href={pathTo('drafts', draft.id)} inherit underline="always">
        its page
      </TextLink>
      .
    </Alert>
  );
};
