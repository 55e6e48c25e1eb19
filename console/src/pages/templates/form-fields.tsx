import { Group, Input, Select, SimpleGrid, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { createContext, type ReactNode, useContext } from 'react';
import type { Schemas } from '../../api/client.ts';
import { AddRow, RemoveButton } from '../../parts/buttons.tsx';
import { formatShare } from '../../parts/format.ts';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { DeferredNumber, type NumberFieldProps as PlainProps } from '../../parts/number-field.tsx';
import { numberFault } from '../../parts/number-text.ts';
import { OptionSelect, type OptionsById, optionGroups } from '../../parts/options.tsx';
import { Note } from '../../parts/text.tsx';
import { newKey, type TemplateType, type TemplateValues, type TierRate } from './template-values.ts';

/** What the parts of the form share. */
interface TemplateForm {
  readonly form: UseFormReturnType<TemplateValues>;
  readonly type: TemplateType;
  /** Error messages by field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly isReadOnly: boolean;
  readonly items: readonly Schemas['Item'][];
  readonly options: OptionsById;
}

export const TemplateFormContext = createContext<TemplateForm | undefined>(undefined);

export const useTemplateForm = (): TemplateForm => {
  const shared = useContext(TemplateFormContext);
  if (shared === undefined) throw new Error('must be used within the form of a template');
  return shared;
};

/** The props of an input for one field: its value, its change handler and its error. */
export const fieldOf = ({ form, faults, isReadOnly }: TemplateForm, path: string, type?: 'checkbox') => ({
  ...form.getInputProps(path, { type }),
  error: faults[path] ?? form.errors[path],
  disabled: isReadOnly,
});

/** The props of a number: without those that it brings itself. */
const numberOf = (form: TemplateForm, path: string) => {
  const { value, onChange, error, disabled } = fieldOf(form, path);
  return { value, onChange, error, disabled };
};

interface FieldProps {
  readonly path: string;
  readonly label: string;
}

type NumberFieldProps = Omit<PlainProps, 'value' | 'onChange'> & { readonly path: string };

export const NumberField = ({ path, ...rest }: NumberFieldProps) => (
  <DeferredNumber min={0} {...rest} {...numberOf(useTemplateForm(), path)} />
);

/** Two fields next to each other, if there is room. */
export const Pair = ({ children }: { children: ReactNode }) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>{children}</SimpleGrid>
);

/** Several fields under one label. */
export const Labelled = ({ label, children }: { label: string; children: ReactNode }) => (
  <Stack gap={4}>
    <Input.Label component="div">{label}</Input.Label>
    {children}
  </Stack>
);

/** What follows the rows of a list: its error, and a button that adds a row. */
export const NewRow = ({ path, row, children }: { path: string; row: object; children: string }) => {
  const { form, faults, isReadOnly } = useTemplateForm();
  return (
    <>
      {faults[path] !== undefined && <Input.Error>{faults[path]}</Input.Error>}
      {!isReadOnly && <AddRow onClick={() => form.insertListItem(path, { key: newKey(), ...row })}>{children}</AddRow>}
    </>
  );
};

export const RemoveRow = ({ path, place, label }: FieldProps & { place: number }) => {
  const { form, isReadOnly } = useTemplateForm();
  return !isReadOnly && <RemoveButton mt={4} label={label} onClick={() => form.removeListItem(path, place)} />;
};

/** Limits a pool to items that have one of the options of each classifier. */
export const OptionFilter = ({ path, label }: FieldProps) => {
  const shared = useTemplateForm();
  return (
    <OptionSelect
      label={label}
      none="any"
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      options={shared.options}
      {...fieldOf(shared, path)}
    />
  );
};

/** A choice of items; `none` says what it means to choose none. */
export const ItemSelect = ({ path, label, none }: FieldProps & { none: string }) => {
  const shared = useTemplateForm();
  const { value, error, disabled } = fieldOf(shared, path);
  return (
    <ItemPicker
      label={label}
      placeholder={value.length === 0 ? none : ''}
      items={shared.items}
      value={value}
      onChange={(ids) => shared.form.setFieldValue(path, ids)}
      error={error}
      disabled={disabled}
    />
  );
};

interface TierSelectProps extends FieldProps {
  readonly isLabelHidden?: boolean;
  readonly placeholder?: string;
  /** Whether all options can be chosen, or only the tiers of the template. */
  readonly isAny?: boolean;
}

export const TierSelect = ({ path, label, isLabelHidden = true, placeholder, isAny = false }: TierSelectProps) => {
  const shared = useTemplateForm();
  const { error, disabled, ...field } = fieldOf(shared, path);
  const value = String(field.value ?? '');
  const tiers = new Set([value, ...shared.form.values.baseRates.map(({ tier }) => tier)]);
  return (
    <Select
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      flex={1}
      searchable
      placeholder={placeholder ?? 'Choose a tier'}
      data={optionGroups(isAny ? shared.options : new Map([...shared.options].filter(([id]) => tiers.has(id))), [
        value,
      ])}
      value={value === '' ? null : value}
      onChange={(chosen) => shared.form.setFieldValue(path, chosen ?? '')}
      error={error}
      disabled={disabled}
      clearable={!isLabelHidden}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
    />
  );
};

interface RateTableProps {
  /** The field that contains the rows. */
  readonly path: string;
  readonly rows: readonly TierRate[];
  readonly addLabel: string;
  readonly isAny?: boolean;
  /** Whether rates multiply those of the tiers. Otherwise they are relative to their sum, and their shares are shown. */
  readonly isFactor?: boolean;
}

/** A table of tiers with a number each. */
export const RateTable = ({ path, rows, addLabel, isAny, isFactor = false }: RateTableProps) => {
  const shared = useTemplateForm();
  const sum = rows.reduce((total, { rate }) => total + Number(rate), 0);
  const nameOf = (tier: string, place: number) => shared.options.get(tier)?.name ?? `row ${place + 1}`;
  return (
    <Stack gap="xs">
      {rows.map(({ key, tier, rate }, place) => {
        const { error, ...field } = numberOf(shared, `${path}.${place}.rate`);
        const fault = numberFault(rate, { min: 0 }) ?? error;
        return (
          <div key={key}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TierSelect path={`${path}.${place}.tier`} label={`Tier ${place + 1}`} isAny={isAny} />
              <DeferredNumber
                w={86}
                aria-label={`${isFactor ? 'Factor' : 'Rate'} of ${nameOf(tier, place)}`}
                aria-describedby={fault === undefined ? undefined : `fault-of-${key}`}
                min={0}
                error={fault !== undefined}
                isFaultElsewhere
                {...field}
              />
              {!isFactor && (
                <Note visibleFrom="xs" w={76} ta="right" mt={8} className="numeric">
                  {sum > 0 ? formatShare(Number(rate) / sum, 3) : '–'}
                </Note>
              )}
              <RemoveRow path={path} place={place} label={`Remove ${nameOf(tier, place)}`} />
            </Group>
            {fault !== undefined && (
              <Input.Error id={`fault-of-${key}`} mt={4}>
                {fault}
              </Input.Error>
            )}
          </div>
        );
      })}
      <NewRow path={path} row={{ tier: '', rate: isFactor ? 1.1 : 1 }}>
        {addLabel}
      </NewRow>
    </Stack>
  );
};

/** The rolls from which a share increases. */
export const SoftPityTable = ({ path, rows, of }: { path: string; rows: TemplateValues['softPity']; of: string }) => (
  <Stack gap="xs">
    {rows.map(({ key }, place) => (
      <Group key={key} gap="xs" wrap="nowrap" align="flex-start">
        <NumberField
          path={`${path}.${place}.from`}
          flex={1}
          aria-label={`Soft pity of ${of}: from roll, part ${place + 1}`}
          prefix="from roll"
          min={1}
          isWhole
        />
        <NumberField
          path={`${path}.${place}.add`}
          flex={1}
          aria-label={`Soft pity of ${of}: added each roll, part ${place + 1}`}
          prefix="+"
          suffix="% per roll"
        />
        <RemoveRow path={path} place={place} label={`Remove soft pity part ${place + 1} of ${of}`} />
      </Group>
    ))}
    <NewRow path={path} row={{ from: '', add: 5 }}>
      {rows.length === 0 ? 'Add soft pity' : 'Add a steeper part'}
    </NewRow>
  </Stack>
);
