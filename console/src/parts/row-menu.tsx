import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';

interface RowMenuProps {
  /** What the row is, for those who cannot see it. */
  readonly of: string;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

/** What can be done with a row. */
export const RowMenu = ({ of, onEdit, onDelete }: RowMenuProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${of}`}>
        <IconDots size={18} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
        Edit
      </Menu.Item>
      <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={onDelete}>
        Delete
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
