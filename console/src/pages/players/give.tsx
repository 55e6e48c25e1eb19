import { Select, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useChange, useItems, useSpaces } from '../../api/requests.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { because, ReasonField, validReason } from '../../parts/reason.tsx';
import { LinkButton } from '../../parts/text.tsx';
import { type Bag, bagName } from './bag-grid.ts';

const GIVING = { action: 'Give', failed: 'Could not give it' };

interface GiveProps {
  readonly userId: string;
  readonly onClose: () => void;
}

type BagValues = { spaceId: string | null; externalId: string };

/** Gives a player a bag of one of the team's spaces. */
export const GiveBag = ({ userId, onClose }: GiveProps) => {
  const spaces = useSpaces();
  const form = useForm<BagValues>({
    initialValues: { spaceId: null, externalId: '' },
    validate: { spaceId: isNotEmpty('Choose a space') },
  });
  const give = useChange({
    run: (api, { spaceId, externalId }: BagValues) =>
      api.userSpaces.create(userId, { spaceId: spaceId ?? '', externalId: externalId.trim() || null }),
    done: ({ spaceId }) => `${spaces.data?.rows.find(({ id }) => id === spaceId)?.name ?? 'Bag'} given`,
  });
  return (
    <FormDialog title={`Give a bag to ${userId}`} {...GIVING} form={form} change={give} onClose={onClose}>
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

/** A select needs a value for "none" too. */
const NO_BAG = '';

/** As many as a batch may have. */
const MOST = 100;

type ItemValues = { itemId: string | null; count: number | string; userSpaceId: string; reason: string };

export const GiveItem = ({ userId, bags, onClose }: GiveProps & { bags: readonly Bag[] }) => {
  const items = useItems();
  const form = useForm<ItemValues>({
    initialValues: { itemId: null, count: 1, userSpaceId: bags[0]?.id ?? NO_BAG, reason: '' },
    validate: {
      itemId: isNotEmpty('Choose an item'),
      count: isNotEmpty('Enter a number'),
      reason: validReason,
    },
  });
  const give = useChange({
    run: (api, { itemId, count, userSpaceId, reason }: ItemValues) => {
      const place = userSpaceId !== NO_BAG && { userSpaceId };
      const one = { type: 'create' as const, itemId: itemId ?? '', userId, ...place };
      return api.itemInstances.batch({ operations: Array.from({ length: Number(count) }, () => one) }, because(reason));
    },
    done: (_, { itemId, count }) => {
      const name = items.data?.rows.find(({ id }) => id === itemId)?.name ?? 'Item';
      return Number(count) === 1 ? `${name} given` : `${name} given ${count} times`;
    },
  });
  return (
    <FormDialog title={`Give an item to ${userId}`} {...GIVING} form={form} change={give} onClose={onClose}>
      <Loaded query={items} lines={2}>
        {({ rows }) => (
          <>
            <Select
              label="Item"
              description="Its attribute values are rolled."
              withAsterisk
              searchable
              data-autofocus
              limit={200}
              nothingFoundMessage="No matching item"
              data={rows.map(({ id, name, width, height }) => ({ value: id, label: `${name}, ${width} × ${height}` }))}
              {...form.getInputProps('itemId')}
            />
            <NumberField label="How many" min={1} max={MOST} isWhole withAsterisk {...form.getInputProps('count')} />
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
            <ReasonField form={form} />
          </>
        )}
      </Loaded>
    </FormDialog>
  );
};
