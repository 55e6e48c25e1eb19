import { Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useChange, useInstances } from '../../api/requests.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { because, ReasonField, validReason } from '../../parts/reason.tsx';
import type { Instance } from './bag-grid.ts';
import { PlayerField } from './player-field.tsx';

interface HandOverProps {
  readonly instance: Instance;
  readonly onClose: () => void;
}

const otherThan = (userId: string) => (value: string) => {
  if (value.trim() === '') return 'Enter a player';
  return value.trim() === userId ? 'This player has it already' : null;
};

/** Gives an item of a player to another one. */
export const TransferItem = ({ instance: { id, item, userId }, onClose }: HandOverProps) => {
  const form = useForm({
    initialValues: { toUserId: '', reason: '' },
    validate: { toUserId: otherThan(userId), reason: validReason },
  });
  const transfer = useChange({
    run: (api, { toUserId, reason }: typeof form.values) =>
      api.itemInstances.transfer(id, { userId, toUserId: toUserId.trim() }, because(reason)),
    done: (_, { toUserId }) => `${item.name} is now ${toUserId.trim()}'s`,
  });
  return (
    <FormDialog
      title={`Transfer ${item.name}`}
      action="Transfer"
      failed="Could not transfer it"
      form={form}
      change={transfer}
      onClose={onClose}
    >
      <PlayerField
        label="To player"
        description="The item will be in no bag."
        except={userId}
        data-autofocus
        {...form.getInputProps('toUserId')}
      />
      <ReasonField form={form} />
    </FormDialog>
  );
};

/** Exchanges an item of a player for one of another, both or neither. */
export const TradeItem = ({ instance: { id, item, userId }, onClose }: HandOverProps) => {
  const form = useForm({
    initialValues: { otherId: '', forId: null as string | null, reason: '' },
    validate: {
      otherId: otherThan(userId),
      forId: (value) => (value === null ? 'Choose an item' : null),
      reason: validReason,
    },
  });
  const theirs = useInstances(form.values.otherId.trim()).data?.rows ?? [];
  const trade = useChange({
    run: (api, { otherId, forId, reason }: typeof form.values) =>
      api.itemInstances.batch(
        {
          operations: [
            { type: 'transfer', id, userId, toUserId: otherId.trim() },
            { type: 'transfer', id: forId ?? '', userId: otherId.trim(), toUserId: userId },
          ],
        },
        because(reason),
      ),
    done: () => `${item.name} traded`,
  });
  return (
    <FormDialog
      title={`Trade ${item.name}`}
      action="Trade"
      failed="Could not trade"
      form={form}
      change={trade}
      onClose={onClose}
    >
      <PlayerField label="With player" except={userId} data-autofocus {...form.getInputProps('otherId')} />
      <Select
        label="For their item"
        description="Both items will be in no bag."
        withAsterisk
        searchable
        limit={200}
        nothingFoundMessage="This player has no such item"
        data={theirs.map(({ id: theirId, item: { name }, attributes }) => ({
          value: theirId,
          label: [name, ...attributes.map(({ name: attribute, value }) => `${attribute} ${value}`)].join(', '),
        }))}
        {...form.getInputProps('forId')}
      />
      <ReasonField form={form} />
    </FormDialog>
  );
};
