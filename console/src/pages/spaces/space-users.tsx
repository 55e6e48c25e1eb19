import { Drawer, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../interface/client.ts';
import { formatMany } from '../../parts/format.ts';
import { TextLink } from '../../parts/links.tsx';
import { pathTo } from '../../parts/path-id.ts';

const MOST_SHOWN = 500;

/** Who has a bag of a space. */
export const SpaceUsers = ({ space, onClose }: { space: Schemas['SpaceWithUserSpaces']; onClose: () => void }) => {
  const bags = Map.groupBy(space.userSpaces, ({ userId }) => userId);
  const users = [...bags];
  return (
    <Drawer opened onClose={onClose} title={`Who has a ${space.name}`}>
      <Stack gap="xs">
        {users.slice(0, MOST_SHOWN).map(([userId, own]) => (
          <div key={userId}>
            <TextLink href={pathTo('players', userId)} size="sm">
              {userId}
            </TextLink>
            {own.length > 1 && (
              <Text span size="sm" c="dimmed">
                {' '}
                {own.length} bags
              </Text>
            )}
          </div>
        ))}
        {users.length > MOST_SHOWN && (
          <Text size="sm" c="dimmed">
            And {formatMany(users.length - MOST_SHOWN, 'more player')}.
          </Text>
        )}
      </Stack>
    </Drawer>
  );
};
