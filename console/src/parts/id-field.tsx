import { Button, Group, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Detail } from './text.tsx';

interface IdFieldProps {
  /** The id that the name gives. */
  readonly usual: string | undefined;
  readonly value?: string;
  readonly onChange: (id: string) => void;
  readonly error?: ReactNode;
  readonly disabled?: boolean;
}

/** The id of something new: nobody needs to think of it, but whoever wants to can. */
export const IdField = ({ usual, value = '', onChange, error, disabled = false }: IdFieldProps) => {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen && value === '' && !error)
    return (
      <Group gap={6}>
        <Detail>{usual === undefined ? 'The id follows from the name.' : `Its id will be ${usual}.`}</Detail>
        {!disabled && (
          <Button variant="transparent" size="compact-xs" p={0} onClick={() => setOpen(true)}>
            Choose another id
          </Button>
        )}
      </Group>
    );
  return (
    <TextInput
      label="Id"
      description="For your game and the API. It cannot be changed later."
      placeholder={usual}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      disabled={disabled}
    />
  );
};
