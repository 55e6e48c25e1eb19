import { Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Schemas } from '../../api/client.ts';
import { entityOf, newId } from '../../catalog/entities.ts';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { NumberField } from '../../parts/number-field.tsx';

type Values = {
  name: string;
  id: string;
  min: number | string;
  max: number | string;
  step: number | string;
};

const bodyOf = ({ name, min, max, step }: Values) => ({
  name,
  min: Number(min),
  max: Number(max),
  step: step === '' ? null : Number(step),
});

export const AttributeForm = ({ attribute, onClose }: { attribute?: Schemas['Attribute']; onClose: () => void }) => {
  const form = useForm<Values>({
    initialValues: {
      name: attribute?.name ?? '',
      id: '',
      min: attribute?.min ?? 0,
      max: attribute?.max ?? 100,
      step: attribute?.step ?? '',
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      min: (value) => (value === '' ? 'Enter a number' : null),
      max: (value, { min }) =>
        value === '' ? 'Enter a number' : Number(value) < Number(min) ? 'Must not be below the lowest value' : null,
      step: (value) => (value !== '' && Number(value) <= 0 ? 'Must be greater than 0' : null),
    },
  });
  const save = useCatalogChange({
    kind: 'attribute',
    edit: (values: Values) => ({
      before: attribute === undefined ? null : entityOf('attribute', attribute),
      after: { id: attribute?.id ?? (values.id || newId()), ...bodyOf(values) },
    }),
    done: ({ after }) => `${after?.name} saved`,
  });
  return (
    <FormDialog
      title={attribute === undefined ? 'New attribute' : `Edit ${attribute.name}`}
      action={attribute === undefined ? 'Create attribute' : 'Save'}
      form={form}
      change={save}
      onClose={onClose}
    >
      <TextInput label="Name" withAsterisk data-autofocus {...form.getInputProps('name')} />
      {attribute === undefined && (
        <TextInput label="Id" description="Your own id; generated if left empty." {...form.getInputProps('id')} />
      )}
      <Group grow align="flex-start">
        <NumberField label="Lowest" {...form.getInputProps('min')} />
        <NumberField label="Highest" {...form.getInputProps('max')} />
      </Group>
      <NumberField
        label="Step"
        description="Distance between adjacent values. Empty: whole numbers if both bounds are whole, otherwise any value."
        placeholder="none"
        {...form.getInputProps('step')}
      />
    </FormDialog>
  );
};
