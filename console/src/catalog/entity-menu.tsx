import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconHistory, IconPencil, IconTrash } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { usePermissions } from '../api/requests.ts';
import { entityOf, historyPath, type Kind, type Shown } from './entities.ts';
import { useRemoval } from './use-catalog-change.ts';

interface EntityMenuProps<K extends Kind> {
  readonly kind: K;
  readonly shown: Shown[K];
  readonly onEdit: () => void;
}

/** What can be done with an entity in a list. */
export const EntityMenu = <K extends Kind>({ kind, shown, onEdit }: EntityMenuProps<K>) => {
  const [, navigate] = useLocation();
  const { canDesign } = usePermissions();
  const remove = useRemoval(kind, entityOf(kind, shown));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${shown.name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {canDesign && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
            Edit
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconHistory size={16} />}
          onClick={() => navigate(historyPath({ kind, id: shown.id }))}
        >
          History
        </Menu.Item>
        {canDesign && (
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove.mutate()}>
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
};
