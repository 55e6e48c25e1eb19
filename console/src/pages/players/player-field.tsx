import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useFoundUsers } from '../../api/requests.ts';

const SHOWN = 20;

/** The id of another player, found on the server by how it begins. */
export const PlayerField = ({ value = '', except, ...rest }: AutocompleteProps & { readonly except: string }) => {
  const [prefix] = useDebouncedValue(value.trim(), 200);
  const found = useFoundUsers(prefix).data?.rows ?? [];
  const ids = found.map(({ id }) => id).filter((id) => id !== except);
  return (
    <Autocomplete
      placeholder="Begin to type an id"
      withAsterisk
      data={ids.slice(0, SHOWN)}
      filter={({ options }) => options}
      value={value}
      {...rest}
    />
  );
};
