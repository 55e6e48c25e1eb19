import { ActionIcon, type ActionIconProps, Button, type ButtonProps } from '@mantine/core';
import { IconPlus, IconTrash, type TablerIcon } from '@tabler/icons-react';
import { type ComponentPropsWithoutRef, type ReactNode, useState } from 'react';
import { formatCount } from './format.ts';
import { LinkButton } from './text.tsx';

interface Clickable {
  readonly onClick?: () => void;
}

interface IconButtonProps extends ButtonProps, Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  readonly icon: TablerIcon;
}

export const IconButton = ({ icon: Icon, ...rest }: IconButtonProps) => (
  <Button variant="default" leftSection={<Icon size={16} />} {...rest} />
);

export const DeleteButton = (props: Omit<IconButtonProps, 'icon'>) => (
  <IconButton icon={IconTrash} variant="subtle" color="red" {...props}>
    Delete
  </IconButton>
);

/** Creates something, on the page of the given address if there is one. */
export const NewButton = ({ href, onClick, children }: Clickable & { readonly href?: string; children: string }) => {
  const look = { leftSection: <IconPlus size={16} />, children };
  return href === undefined ? <Button {...look} onClick={onClick} /> : <LinkButton {...look} href={href} />;
};

export const RemoveButton = ({ label, ...rest }: ActionIconProps & Clickable & { readonly label: string }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest}>
    <IconTrash size={16} />
  </ActionIcon>
);

/** Adds a row to a form. */
export const AddRow = (props: ButtonProps & Clickable) => (
  <Button
    variant="subtle"
    size="xs"
    leftSection={<IconPlus size={14} />}
    style={{ alignSelf: 'flex-start' }}
    {...props}
  />
);

/** Shows more of a list, or less. */
export const MoreButton = (props: ButtonProps & Clickable) => (
  <Button variant="subtle" size="compact-sm" style={{ alignSelf: 'flex-start' }} {...props} />
);

/** The first rows of a list, and a button for all of them, which is null if there are no more. */
export const useFirst = <T,>(rows: readonly T[], count: number, noun: string, look?: ButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  const button: ReactNode = rows.length > count && (
    <MoreButton {...look} onClick={() => setOpen(!isOpen)}>
      {isOpen ? `Show fewer ${noun}` : `Show all ${formatCount(rows.length)} ${noun}`}
    </MoreButton>
  );
  return { shown: isOpen ? rows : rows.slice(0, count), button };
};
