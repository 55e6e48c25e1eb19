import { Group } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useDeletedInstances, useItems, usePermissions } from '../../api/requests.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { formatMoment } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail, Strong } from '../../parts/text.tsx';

type Deletion = Schemas['ItemInstanceEvent'];

/** What the player lost in the last 30 days, and can get back. */
export const DeletedItems = ({ userId }: { userId: string }) => {
  const { canSupport } = usePermissions();
  const names = new Map(useItems().data?.rows.map(({ id, name }) => [id, name]));
  const [chosen, setChosen] = useState<Deletion>();
  const nameOf = ({ itemId }: Deletion) => names.get(itemId) ?? 'An item that was deleted from the catalog';
  return (
    <Section title="Deleted in the last 30 days" padding="md">
      <Loaded query={useDeletedInstances(userId)} lines={1}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Detail>Nothing.</Detail>
          ) : (
            rows.map((deletion) => (
              <Group key={deletion.itemInstanceId} justify="space-between" gap="xs">
                <div>
                  <Strong>{nameOf(deletion)}</Strong>
                  <Detail>
                    {formatMoment(deletion.createdAt)}
                    {deletion.author !== null && ` with the secret ${deletion.author}`}
                    {deletion.reason !== null && `: ${deletion.reason}`}
                  </Detail>
                </div>
                {canSupport && (
                  <IconButton
                    icon={IconRestore}
                    size="xs"
                    aria-label={`Restore ${nameOf(deletion)}`}
                    disabled={!names.has(deletion.itemId)}
                    onClick={() => setChosen(deletion)}
                  >
                    Restore
                  </IconButton>
                )}
              </Group>
            ))
          )
        }
      </Loaded>
      {chosen !== undefined && (
        <ReasonDialog
          title={`Restore ${nameOf(chosen)}`}
          text="The player gets it back with the same values, in no bag."
          action="Restore item"
          done={`${nameOf(chosen)} restored`}
          run={(api, options) => api.itemInstances.restore(chosen.itemInstanceId, options)}
          onClose={() => setChosen(undefined)}
        />
      )}
    </Section>
  );
};
