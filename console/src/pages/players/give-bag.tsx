import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSpaces } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { LinkButton } from '../../parts/text.tsx';

type Values = {
  spaceId: string | null;
  externalId: string;
};

interface GiveBagProps {
  readonly userId: string;
  readonly onClose: () => void;
}

/** Gives a player a bag of one of the team's spaces. */
export const GiveBag = ({ userId, onClose }: GiveBagProps) => {
  const spaces = useSpaces();
  const form = useForm<Values>({
    initialValues: { spaceId: null, externalId: '' },
    validate: { spaceId: (value) => (value === null ? 'Choose a space' : null) },
  });
  const give = useChange({
    run: (api, { spaceId, externalId }: Values) =>
      api.userSpaces.create(userId, {
        spaceId: spaceId ?? '',
        externalId: externalId.trim() === '' ? null : externalId.trim(),
      }),
    done: ({ spaceId }) => `${spaces.data?.rows.find(({ id }) => id === spaceId)?.name ?? 'Bag'} given`,
  });
  return (
    <FormDialog
      title={`Give a bag to ${userId}`}
      action="Give"
      failed="Could not give it"
      form={form}
      change={give}
      onClose={onClose}
    >
      <Loaded query={spaces} lines={2}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty
              title="No spaces yet"
              action={
                <LinkButton href="/spaces" variant="default">
                  Go to spaces
                </LinkButton>
              }
            >
              A bag is a grid of a space, such as a backpack of 10 by 6 cells. Create the space first.
            </Empty>
          ) : (
            <>
              <Select
                label="Space"
                description="The kind of bag. A player may have several of one kind."
                withAsterisk
                searchable
                data-autofocus
                nothingFoundMessage="No matching space"
                data={rows.map(({ id, name, cols, rows: height }) => ({
                  value: id,
                  label: `${name}, ${cols} × ${height}`,
                }))}
                {...form.getInputProps('spaceId')}
              />
              <TextInput
                label="External id"
                description="Your own reference, shown next to its name."
                placeholder="none"
                {...form.getInputProps('externalId')}
              />
            </>
          )
        }
      </Loaded>
    </FormDialog>
  );
};
