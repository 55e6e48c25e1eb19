import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import classes from './option-colour.module.css';

interface OptionColourProps {
  readonly name: string;
  /** Its own, or that of its rank; undefined if it has none. */
  readonly colour: string | undefined;
  /** Whether the team has set it. */
  readonly isSet: boolean;
  /** Null: that of its rank again. */
  readonly onSave: (colour: string | null) => Promise<unknown>;
}

/** The colour of an option, with the colour picker of the browser. */
export const OptionColour = ({ name, colour, isSet, onSave }: OptionColourProps) => {
  const input = useRef<HTMLInputElement>(null);
  const save = useRef(onSave);
  save.current = onSave;
  useEffect(() => {
    const element = input.current;
    // Unlike the event of React, this one comes once, when the picker is closed.
    const change = () => void save.current(element?.value ?? null).catch(() => undefined);
    element?.addEventListener('change', change);
    return () => element?.removeEventListener('change', change);
  }, []);
  useEffect(() => {
    if (input.current !== null) input.current.value = colour ?? '#cccccc';
  }, [colour]);
  return (
    <Group gap={2} wrap="nowrap">
      <input
        ref={input}
        type="color"
        className={classes.colour}
        data-none={colour === undefined || undefined}
        aria-label={`Colour of ${name}`}
      />
      {isSet && (
        <Tooltip label="Use the default">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Default colour of ${name}`}
            onClick={() => void onSave(null).catch(() => undefined)}
          >
            <IconRestore size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
};
