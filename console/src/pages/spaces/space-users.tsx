import { Drawer, Stack } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useUserSpacesOf } from '../../api/requests.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Note, pathTo, TextLink } from '../../parts/text.tsx';

/** The size of one page of the list. */
const MAX_SHOWN = 1000;

/** The players who have a bag of a space. */
export const SpaceUsers = ({ space, onClose }: { space: Schemas['SpaceWithUserSpaces']; onClose: () => void }) => (
  <Drawer opened onClose={onClose} title={`Players with ${space.name}`}>
    <Loaded query={useUserSpacesOf(space.id)}>
      {(userSpaces) => (
        <Stack gap="xs">
          {[...Map.groupBy(userSpaces, ({ userId }) => userId)].map(([userId, own]) => (
            <div key={userId}>
              <TextLink href={pathTo('players', userId)}>{userId}</TextLink>
              {own.length > 1 && <Note span> {own.length} bags</Note>}
            </div>
          ))}
          {userSpaces.length === MAX_SHOWN && <Note>These are the first {MAX_SHOWN} bags; there may be more.</Note>}
        </Stack>
      )}
    </Loaded>
  </Drawer>
);
