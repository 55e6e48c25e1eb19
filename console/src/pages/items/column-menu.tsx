import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { ItemColumn } from './item-columns.tsx';

interface ColumnMenuProps {
  readonly columns: readonly ItemColumn[];
  readonly isShown: (column: ItemColumn) => boolean;
  readonly onToggle: (column: ItemColumn) => void;
}

/** Which columns the table has. */
export const ColumnMenu = ({ columns, isShown, onToggle }: ColumnMenuProps) => (
  <Menu closeOnItemClick={false} position="bottom-end">
    <Menu.Target>
      <Tooltip label="Columns">
        <ActionIcon variant="default" size={36} aria-label="Choose columns">
          <IconColumns3 size={18} />
        </ActionIcon>
      </Tooltip>
    </Menu.Target>
    <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
      {columns
        .filter(({ isFixed }) => !isFixed)
        .map((column) => (
          <Menu.CheckboxItem key={column.header} checked={isShown(column)} onChange={() => onToggle(column)}>
            {column.header}
          </Menu.CheckboxItem>
        ))}
    </Menu.Dropdown>
  </Menu>
);
