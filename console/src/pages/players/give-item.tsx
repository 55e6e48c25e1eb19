import { Button, Group, Modal, Select, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { answer } from '../../interface/client.ts';
import { useItems } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import { FaultList } from '../../parts/fault-list.tsx';
import { faultsOf } from '../../parts/field-errors.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { type Bag, bagName } from './bag-grid.ts';

interface Values {
  itemId: string | null;
  userSpaceId: string;
}

/** Selects need a value for "none" too. */
const NO_BAG = '';

interface GiveItemProps {
  readonly userId: string;
  readonly bags: readonly Bag[];
  readonly onClose: () => void;
}

export const GiveItem = ({ userId, bags, onClose }: GiveItemProps) => {
  const items = useItems();
  const [otherFaults, setOtherFaults] = useState<readonly string[]>([]);
  const form = useForm<Values>({
    initialValues: { itemId: null, userSpaceId: bags[0]?.id ?? NO_BAG },
    validate: { itemId: (value) => (value === null ? 'Choose an item' : null) },
  });
  const give = useChange({
    run: (api, { itemId, userSpaceId }: Values) =>
      answer(
        api.POST('/item-instances', {
          body: { itemId: itemId ?? '', userId, ...(userSpaceId !== NO_BAG && { userSpaceId }) },
        }),
      ),
    done: ({ itemId }) => `${items.data?.rows.find(({ id }) => id === itemId)?.name ?? 'The item'} is given`,
  });
  const submit = form.onSubmit((values) =>
    give.mutate(values, {
      onSuccess: onClose,
      onError: (error) => {
        const { fields, others } = faultsOf(error, (field) => field in values);
        form.setErrors(fields);
        setOtherFaults(others);
      },
    }),
  );
  return (
    <Modal opened onClose={onClose} title={`Give an item to ${userId}`}>
      <Loaded query={items} lines={2}>
        {({ rows }) => (
          <form onSubmit={submit} noValidate>
            <Stack>
              <FaultList faults={otherFaults} title="Not given" />
              <Select
                label="Item"
                description="Its values are rolled on their ranges."
                withAsterisk
                searchable
                data-autofocus
                limit={200}
                nothingFoundMessage="No item is called so"
                data={rows.map(({ id, name, width, height }) => ({
                  value: id,
                  label: `${name}, ${width} × ${height}`,
                }))}
                {...form.getInputProps('itemId')}
              />
              <Select
                label="Bag"
                description="It takes the first free place."
                allowDeselect={false}
                data={[
                  ...bags.map((bag) => ({ value: bag.id, label: bagName(bag) })),
                  { value: NO_BAG, label: 'Not in a bag' },
                ]}
                {...form.getInputProps('userSpaceId')}
              />
              <Group justify="flex-end">
                <Button variant="default" onClick={onClose}>
                  Cancel
                </Button>
                <Button type="submit" loading={give.isPending}>
                  Give
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Loaded>
    </Modal>
  );
};
