import { ActionIcon, Card, Group, Stack, TextInput, Title } from '@mantine/core';
import { IconHistory, IconPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { usePermissions } from '../../api/requests.ts';
import { type Entities, entityOf, historyPath, newId, optionOf } from '../../catalog/entities.ts';
import { DraftBadge } from '../../catalog/marks.tsx';
import { useItemRows, useOptions } from '../../catalog/reads.ts';
import { useCatalogChange, useRemoval } from '../../catalog/use-catalog-change.ts';
import { RemoveButton } from '../../parts/buttons.tsx';
import { actions, type Column, DataTable } from '../../parts/data-table.tsx';
import { formatCount, formatNumber } from '../../parts/format.ts';
import { InPlaceNumber, InPlaceText } from '../../parts/in-place.tsx';
import { OptionBadge, optionIdsOf } from '../../parts/options.tsx';
import { Note } from '../../parts/text.tsx';
import { OptionColour } from './option-colour.tsx';

type Option = Schemas['ClassifierOption'];

export const ClassifierCard = ({ classifier }: { classifier: Schemas['Classifier'] }) => {
  const items = useItemRows();
  const { canDesign } = usePermissions();
  const known = useOptions();
  const [added, setAdded] = useState('');
  const { id, name, classifierOptions } = classifier;
  const shown = entityOf('classifier', classifier);
  const options = shown.classifierOptions;
  const change = useCatalogChange({
    kind: 'classifier',
    edit: (members: Partial<Entities['classifier']>) => ({ before: shown, after: { ...shown, ...members } }),
    failed: 'Could not save',
  });
  const remove = useRemoval('classifier', shown);
  const changeOption = (changed: Option, members: Partial<Option>) =>
    change.mutateAsync({
      classifierOptions: options.map((option) =>
        option.id === changed.id ? optionOf({ ...option, ...members }) : option,
      ),
    });
  /** Two options of one name could not be told apart in a configuration. */
  const isTaken = (wanted: string, own?: Option) =>
    options.some((option) => option.id !== own?.id && option.name.toLowerCase() === wanted.trim().toLowerCase());
  const renameOption = async (option: Option, wanted: string) => {
    if (isTaken(wanted, option)) throw new Error(`${name} already has an option named ${wanted}`);
    return changeOption(option, { name: wanted });
  };
  const usesOf = (option: Option): number => items.filter((item) => optionIdsOf(item).includes(option.id)).length;
  const removeOption = (removed: Option) =>
    change.mutate({ classifierOptions: options.filter((option) => option.id !== removed.id) });
  const addOption = (event: FormEvent) => {
    event.preventDefault();
    if (added.trim() === '' || isTaken(added)) return;
    const option = { id: newId(), name: added.trim(), dropRateMultiplier: 1 };
    change.mutate({ classifierOptions: [...options, option] }, { onSuccess: () => setAdded('') });
  };
  const columns: readonly (Column<Option> | false)[] = [
    {
      header: 'Option',
      cell: (option) =>
        canDesign ? (
          <InPlaceText
            label={`Name of ${option.name}`}
            value={option.name}
            onSave={(value) => renameOption(option, value)}
          />
        ) : (
          <OptionBadge option={known.get(option.id)} />
        ),
    },
    canDesign && {
      header: 'Colour',
      w: 76,
      cell: (option) => (
        <OptionColour
          name={option.name}
          colour={known.get(option.id)?.colour}
          isSet={option.color != null}
          onSave={(color) => changeOption(option, { color })}
        />
      ),
    },
    {
      header: 'Multiplier',
      w: 110,
      cell: (option) =>
        canDesign ? (
          <InPlaceNumber
            label={`Multiplier of ${option.name}`}
            value={option.dropRateMultiplier}
            onSave={(value) => changeOption(option, { dropRateMultiplier: value })}
          />
        ) : (
          `× ${formatNumber(option.dropRateMultiplier ?? 1)}`
        ),
    },
    { header: 'Items', w: 60, ta: 'right', visibleFrom: 'xs', cell: (option) => formatCount(usesOf(option)) },
    canDesign &&
      actions((option) => <RemoveButton label={`Remove ${option.name}`} onClick={() => removeOption(option)} />),
  ];

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
          <Group gap={4} wrap="nowrap">
            <DraftBadge kind="classifier" id={id} />
            <ActionIcon
              component={Link}
              href={historyPath({ kind: 'classifier', id })}
              variant="subtle"
              color="gray"
              aria-label={`History of ${name}`}
            >
              <IconHistory size={16} />
            </ActionIcon>
            {canDesign && (
              <RemoveButton label={`Delete ${name}`} loading={remove.isPending} onClick={() => remove.mutate()} />
            )}
          </Group>
        </Group>
        {classifierOptions.length === 0 ? (
          <Note>No options yet.</Note>
        ) : (
          <DataTable
            label={`Options of ${name}`}
            columns={columns}
            rows={classifierOptions}
            keyOf={(option) => option.id}
            verticalSpacing={4}
          />
        )}
        {canDesign && (
          <form onSubmit={addOption}>
            <TextInput
              aria-label={`New option of ${name}`}
              placeholder="Add an option"
              value={added}
              error={isTaken(added) && `${name} already has an option of this name`}
              onChange={(event) => setAdded(event.currentTarget.value)}
              rightSection={
                <ActionIcon
                  type="submit"
                  variant="subtle"
                  aria-label={`Add the option to ${name}`}
                  disabled={added.trim() === '' || isTaken(added)}
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
