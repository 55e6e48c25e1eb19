import { Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { randomId } from '@mantine/hooks';
import { newId } from '../../catalog/entities.ts';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import { AddRow, RemoveButton } from '../../parts/buttons.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { Strong } from '../../parts/text.tsx';

type Values = {
  name: string;
  classifierOptions: { key: string; name: string; dropRateMultiplier: number | string }[];
};

const newOption = () => ({ key: randomId(), name: '', dropRateMultiplier: 1 as number | string });

export const NewClassifier = ({ onClose }: { onClose: () => void }) => {
  const form = useForm<Values>({
    initialValues: { name: '', classifierOptions: [newOption()] },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      classifierOptions: {
        name: (value, { classifierOptions }) => {
          if (value.trim() === '') return 'Enter a name';
          const isTaken = classifierOptions.filter(({ name }) => name.trim() === value.trim()).length > 1;
          return isTaken ? 'Another option has this name' : null;
        },
      },
    },
  });
  const save = useCatalogChange({
    kind: 'classifier',
    edit: ({ name, classifierOptions }: Values) => ({
      before: null,
      after: {
        id: newId(),
        name,
        classifierOptions: classifierOptions.map((option) => ({
          id: newId(),
          name: option.name,
          dropRateMultiplier: option.dropRateMultiplier === '' ? null : Number(option.dropRateMultiplier),
        })),
      },
    }),
    done: ({ after }) => `${after?.name} saved`,
  });
  return (
    <FormDialog title="New classifier" action="Create classifier" form={form} change={save} onClose={onClose}>
      <TextInput label="Name" withAsterisk data-autofocus placeholder="Rarity" {...form.getInputProps('name')} />
      <Stack gap="xs" role="group" aria-label="Options">
        <Strong>Options</Strong>
        {form.values.classifierOptions.map(({ key }, place) => (
          <Group key={key} wrap="nowrap" align="flex-start" gap="xs">
            <TextInput
              flex={1}
              aria-label={`Name of option ${place + 1}`}
              placeholder="Common"
              {...form.getInputProps(`classifierOptions.${place}.name`)}
            />
            <NumberField
              w={96}
              aria-label={`Multiplier of option ${place + 1}`}
              prefix="×"
              min={0}
              {...form.getInputProps(`classifierOptions.${place}.dropRateMultiplier`)}
            />
            <RemoveButton
              mt={4}
              label={`Remove option ${place + 1}`}
              onClick={() => form.removeListItem('classifierOptions', place)}
            />
          </Group>
        ))}
        <AddRow onClick={() => form.insertListItem('classifierOptions', newOption())}>Add an option</AddRow>
      </Stack>
    </FormDialog>
  );
};
