import { Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Schemas } from '../../api/client.ts';
import { entityOf, newId } from '../../catalog/entities.ts';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { NumberField } from '../../parts/number-field.tsx';

type Values = {
  id: string;
  name: string;
  cols: number | string;
  rows: number | string;
};

const bodyOf = ({ name, cols, rows }: Values) => ({ name, cols: Number(cols), rows: Number(rows) });

export const SpaceForm = ({ space, onClose }: { space?: Schemas['Space']; onClose: () => void }) => {
  const form = useForm<Values>({
    initialValues: { id: '', name: space?.name ?? '', cols: space?.cols ?? 10, rows: space?.rows ?? 6 },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      cols: (value) => (value === '' ? 'Enter a number' : null),
      rows: (value) => (value === '' ? 'Enter a number' : null),
    },
  });
  const save = useCatalogChange({
    kind: 'space',
    edit: (values: Values) => ({
      before: space === undefined ? null : entityOf('space', space),
      after: { id: space?.id ?? (values.id || newId()), ...bodyOf(values) },
    }),
    done: ({ after }) => `${after?.name} saved`,
  });
  return (
    <FormDialog
      title={space === undefined ? 'New space' : `Edit ${space.name}`}
      action={space === undefined ? 'Create space' : 'Save'}
      form={form}
      change={save}
      onClose={onClose}
    >
      <TextInput label="Name" withAsterisk data-autofocus {...form.getInputProps('name')} />
      {space === undefined && (
        <TextInput label="Id" description="Your own id; generated if left empty." {...form.getInputProps('id')} />
      )}
      <Group grow align="flex-start">
        <NumberField label="Columns" min={1} max={200} isWhole {...form.getInputProps('cols')} />
        <NumberField label="Rows" min={1} max={200} isWhole {...form.getInputProps('rows')} />
      </Group>
    </FormDialog>
  );
};
