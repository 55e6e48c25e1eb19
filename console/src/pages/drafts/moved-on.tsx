import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useChange, usePermissions } from '../../api/requests.ts';
import type { Draft, WantedChange } from '../../catalog/api.ts';
import type { Names } from '../../catalog/diff.ts';
import { useCurrentVersion } from '../../catalog/draft.ts';
import { historyPath, keyOf } from '../../catalog/entities.ts';
import { changeDraft, clashesOf } from '../../catalog/put-into-draft.ts';
import { TextLink } from '../../parts/text.tsx';
import { useApi } from '../../session/session.tsx';

/** Looking up more would take too many requests; the service checks them anyway when the draft is published. */
const MAX_LOOKED_UP = 500;

/** How a draft relates to a catalog that has moved on since. */
export const useMovedOn = (draft: Draft) => {
  const api = useApi();
  const current = useCurrentVersion().data;
  const isBehind = current !== undefined && current > draft.baseVersion;
  const { data: clashes } = useQuery({
    queryKey: ['clashes', draft.id, draft.baseVersion, current, draft.changes.map(keyOf)],
    queryFn: () => clashesOf(api, draft),
    enabled: isBehind && draft.changes.length <= MAX_LOOKED_UP,
  });
  return { current, isBehind, clashes: isBehind ? clashes : [] };
};

interface MovedOnProps {
  readonly draft: Draft;
  readonly current: number;
  /** Entities that both sides changed; undefined while that is not known. */
  readonly clashes: readonly WantedChange[] | undefined;
  readonly names: Names;
}

/** Says that the catalog has moved on since the draft was started, and moves the draft along. */
export const MovedOn = ({ draft, current, clashes, names }: MovedOnProps) => {
  const { canDesign } = usePermissions();
  const rebase = useChange({
    run: (api, baseVersion: number) => changeDraft(api, draft.id, () => ({ baseVersion })),
    done: () => `The draft is based on version ${current} now`,
    failed: 'Could not rebase',
  });
  const hasClashes = clashes !== undefined && clashes.length > 0;
  return (
    <Alert
      color={hasClashes ? 'red' : 'yellow'}
      icon={<IconGitMerge />}
      title={`The catalog has moved on to version ${current}`}
      role="note"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          The draft is based on version {draft.baseVersion}.{' '}
          {hasClashes
            ? 'Since then the live catalog has changed entities that the draft changes too. The changes below show what publishing the draft would make of them.'
            : 'Nothing that the draft changes has been changed since.'}
        </Text>
        {hasClashes && (
          <List size="sm">
            {clashes.map((clash) => (
              <List.Item key={keyOf(clash)}>
                {clash.kind} {clash.after?.name ?? names.of(clash.id) ?? clash.id},{' '}
                <TextLink href={historyPath(clash)} inherit underline="always">
                  see its history
                </TextLink>
              </List.Item>
            ))}
          </List>
        )}
        {canDesign && clashes !== undefined && (
          <Button size="xs" variant="default" loading={rebase.isPending} onClick={() => rebase.mutate(current)}>
            {hasClashes ? "Rebase, and keep the draft's changes" : 'Rebase'}
          </Button>
        )}
      </Stack>
    </Alert>
  );
};
