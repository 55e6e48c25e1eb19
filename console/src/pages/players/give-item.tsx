import { Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useItems } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { type Bag, bagName } from './bag-grid.ts';

type Values = {
  itemId: string | null;
  userSpaceId: string;
};

/** A select needs a value for "none" too. */
const NO_BAG = '';

interface GiveItemProps {
  readonly userId: string;
  readonly bags: readonly Bag[];
  readonly onClose: () => void;
}

export const GiveItem = ({ userId, bags, onClose }: GiveItemProps) => {
  const items = useItems();
  const form = useForm<Values>({
    initialValues: { itemId: null, userSpaceId: bags[0]?.id ?? NO_BAG },
    validate: { itemId: (value) => (value === null ? 'Choose an item' : null) },
  });
  const give = useChange({
    run: (api, { itemId, userSpaceId }: Values) =>
      api.itemInstances.create({ itemId: itemId ?? '', userId, ...(userSpaceId !== NO_BAG && { userSpaceId }) }),
    done: ({ itemId }) => `${items.data?.rows.find(({ id }) => id === itemId)?.name ?? 'Item'} given`,
  });
  return (
    <FormDialog
      title={`Give an item to ${userId}`}
      action="Give"
      failed="Could not give it"
      form={form}
      change={give}
      onClose={onClose}
    >
      <Loaded query={items} lines={2}>
        {({ rows }) => (
          <>
            {' '}
            <Select
              label="Item"
              description="Its attribute values are rolled."
              withAsterisk
              searchable
              data-autofocus
              limit={200}
              nothingFoundMessage="No matching item"
              data={rows.map(({ id, name, width, height }) => ({
                value: id,
                label: `${name}, ${width} × ${height}`,
              }))}
              {...form.getInputProps('itemId')}
            />
            <Select
              label="Bag"
              description="It is placed at the first free position."
              allowDeselect={false}
              data={[
                ...bags.map((bag) => ({ value: bag.id, label: bagName(bag) })),
                { value: NO_BAG, label: 'Not in a bag' },
              ]}
              {...form.getInputProps('userSpaceId')}
            />
          </>
        )}
      </Loaded>
    </FormDialog>
  );
};
