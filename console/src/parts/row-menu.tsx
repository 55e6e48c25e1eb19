import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconHistory, IconPencil, IconTrash } from '@tabler/icons-react';
import { useLocation } from 'wouter';

interface RowMenuProps {
  /** Name of the row, for screen readers. */
  readonly of: string;
  /** Where its history is. */
  readonly history: string;
  /** Left out if it may not be changed. */
  readonly onEdit?: (() => void) | undefined;
  readonly onDelete?: (() => void) | undefined;
}

/** The actions of a row. */
export const RowMenu = ({ of, history, onEdit, onDelete }: RowMenuProps) => {
  const [, navigate] = useLocation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${of}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onEdit !== undefined && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
            Edit
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => navigate(history)}>
          History
        </Menu.Item>
        {onDelete !== undefined && (
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={onDelete}>
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
};
