import { ActionIcon, Card, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { type Schemas, unwrap } from '../../interface/client.ts';
import { ifUnchanged } from '../../interface/if-unchanged.ts';
import { usePermissions } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import { optionIdsOf, useOptions } from '../../parts/catalog.ts';
import { confirmLoss } from '../../parts/confirm.tsx';
import { formatCount, formatMany, formatNumber } from '../../parts/format.ts';
import { InPlaceNumber, InPlaceText } from '../../parts/in-place.tsx';
import { OptionBadge } from '../../parts/option-badge.tsx';
import { ActionsHeader } from '../../parts/table-card.tsx';

type Option = Schemas['ClassifierOption'];

/** The API takes the whole list: options that are left out are removed, those without an id are added. */
type Change = { name?: string; classifierOptions?: Schemas['ClassifierChange']['classifierOptions'] };

const kept = ({ id, name, dropRateMultiplier }: Option) => ({ id, name, dropRateMultiplier });

export const ClassifierCard = ({
  classifier,
  items,
}: {
  classifier: Schemas['Classifier'];
  items: readonly Schemas['Item'][];
}) => {
  const { canDesign } = usePermissions();
  const known = useOptions();
  const [added, setAdded] = useState('');
  const { id, name, classifierOptions } = classifier;
  const change = useChange({
    run: async (api, body: Change) =>
      unwrap(
        api.PUT('/classifiers/{id}', {
          params: { path: { id } },
          body,
          ...(await ifUnchanged(api, 'classifier', classifier)),
        }),
      ),
    failed: 'Could not save',
  });
  const remove = useChange({
    run: async (api) =>
      unwrap(
        api.DELETE('/classifiers/{id}', {
          params: { path: { id } },
          ...(await ifUnchanged(api, 'classifier', classifier)),
        }),
      ),
    done: () => `${name} deleted`,
    failed: 'Could not delete',
  });
  const changeOption = (changed: Option, members: Partial<Option>) =>
    change.mutateAsync({
      classifierOptions: classifierOptions.map((option) =>
        option.id === changed.id ? { ...kept(option), ...members } : kept(option),
      ),
    });
  const usesOf = (option: Option): number => items.filter((item) => optionIdsOf(item).includes(option.id)).length;
  const removeOption = (removed: Option) =>
    confirmLoss({
      title: `Remove ${removed.name}?`,
      text: `${formatMany(usesOf(removed), 'item will lose it', 'items will lose it')}, and the odds will change. This is not possible while a template refers to it.`,
      action: 'Remove option',
      run: () =>
        change.mutate({ classifierOptions: classifierOptions.filter(({ id: own }) => own !== removed.id).map(kept) }),
    });
  const addOption = (event: FormEvent) => {
    event.preventDefault();
    if (added.trim() === '') return;
    change.mutate(
      { classifierOptions: [...classifierOptions.map(kept), { name: added.trim(), dropRateMultiplier: 1 }] },
      { onSuccess: () => setAdded('') },
    );
  };

  return (
    <Card component="section" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          {canDesign ? (
            <InPlaceText
              label={`Name of ${name}`}
              value={name}
              isHeading
              onSave={(value) => change.mutateAsync({ name: value })}
            />
          ) : (
            <Title order={2}>{name}</Title>
          )}
          {canDesign && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Delete ${name}`}
              onClick={() =>
                confirmLoss({
                  title: `Delete ${name}?`,
                  text: 'All of its options are removed from items, which changes their odds. This is not possible while a template refers to one of them.',
                  action: 'Delete classifier',
                  run: () => remove.mutate(undefined),
                })
              }
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
        {classifierOptions.length === 0 ? (
          <Text size="sm" c="dimmed">
            No options yet.
          </Text>
        ) : (
          <Table verticalSpacing={4} aria-label={`Options of ${name}`}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Option</Table.Th>
                <Table.Th w={110}>Multiplier</Table.Th>
                <Table.Th w={60} ta="right" visibleFrom="xs">
                  Items
                </Table.Th>
                {canDesign && <ActionsHeader />}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {classifierOptions.map((option) => (
                <Table.Tr key={option.id}>
                  <Table.Td>
                    {canDesign ? (
                      <InPlaceText
                        label={`Name of ${option.name}`}
                        value={option.name}
                        onSave={(value) => changeOption(option, { name: value })}
                      />
                    ) : (
                      <OptionBadge option={known.get(option.id)} />
                    )}
                  </Table.Td>
                  <Table.Td>
                    {canDesign ? (
                      <InPlaceNumber
                        label={`Multiplier of ${option.name}`}
                        value={option.dropRateMultiplier}
                        onSave={(value) => changeOption(option, { dropRateMultiplier: value })}
                      />
                    ) : (
                      `× ${formatNumber(option.dropRateMultiplier ?? 1)}`
                    )}
                  </Table.Td>
                  <Table.Td ta="right" visibleFrom="xs">
                    {formatCount(usesOf(option))}
                  </Table.Td>
                  {canDesign && (
                    <Table.Td>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={`Remove ${option.name}`}
                        onClick={() => removeOption(option)}
                      >
                        <IconTrash size={16} />
                      </ActionIcon>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {canDesign && (
          <form onSubmit={addOption}>
            <TextInput
              aria-label={`New option of ${name}`}
              placeholder="Add an option"
              value={added}
              onChange={(event) => setAdded(event.currentTarget.value)}
              rightSection={
                <ActionIcon
                  type="submit"
                  variant="subtle"
                  aria-label={`Add the option to ${name}`}
                  disabled={added.trim() === ''}
                  loading={change.isPending}
                >
                  <IconPlus size={16} />
                </ActionIcon>
              }
            />
          </form>
        )}
      </Stack>
    </Card>
  );
};
