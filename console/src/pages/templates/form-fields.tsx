import { Group, Input, NumberInput, Select, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { AddRow, RemoveButton } from '../../parts/buttons.tsx';
import type { OptionsById } from '../../parts/catalog.ts';
import { formatShare } from '../../parts/format.ts';
import { OptionSelect, optionGroups } from '../../parts/option-badge.tsx';
import { newKey, type SoftPity, type TemplateValues, type TierRate } from './template-values.ts';

/** What the parts of the form share. */
export interface TemplateForm {
  readonly form: UseFormReturnType<TemplateValues>;
  /** Error messages by field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly isReadOnly: boolean;
  readonly options: OptionsById;
}

/** The props of an input for one field: its value, its change handler and its error. */
export const fieldOf = ({ form, faults, isReadOnly }: TemplateForm, path: string) => ({
  ...form.getInputProps(path),
  error: faults[path] ?? form.errors[path],
  disabled: isReadOnly,
});

interface ListProps {
  readonly shared: TemplateForm;
  /** The field that contains the rows. */
  readonly path: string;
}

/** What follows the rows of a list: its error, and a button that adds a row. */
export const NewRow = ({ shared, path, row, children }: ListProps & { row: object; children: string }) => (
  <>
    {shared.faults[path] !== undefined && <Input.Error>{shared.faults[path]}</Input.Error>}
    {!shared.isReadOnly && (
      <AddRow onClick={() => shared.form.insertListItem(path, { key: newKey(), ...row })}>{children}</AddRow>
    )}
  </>
);

export const RemoveRow = ({ shared, path, place, label }: ListProps & { place: number; label: string }) =>
  !shared.isReadOnly && <RemoveButton mt={4} label={label} onClick={() => shared.form.removeListItem(path, place)} />;

interface OptionFilterProps {
  readonly shared: TemplateForm;
  readonly path: string;
  readonly label: string;
}

/** Limits a pool to items that have one of the options of each classifier. */
export const OptionFilter = ({ shared, path, label }: OptionFilterProps) => (
  <OptionSelect
    label={label}
    none="any"
    clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
    options={shared.options}
    {...fieldOf(shared, path)}
  />
);

interface TierSelectProps {
  readonly shared: TemplateForm;
  readonly path: string;
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly placeholder?: string;
  /** Limits the choice to these tiers; all options if left out. */
  readonly among?: readonly string[];
}

export const TierSelect = ({ shared, path, label, isLabelHidden = true, placeholder, among }: TierSelectProps) => {
  const props = fieldOf(shared, path);
  const value = String(props.value ?? '');
  const offered =
    among === undefined
      ? shared.options
      : new Map([...shared.options].filter(([id]) => among.includes(id) || id === value));
  return (
    <Select
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      flex={1}
      searchable
      placeholder={placeholder ?? 'Choose a tier'}
      data={optionGroups(offered, [value])}
      value={value === '' ? null : value}
      onChange={(chosen) => shared.form.setFieldValue(path, chosen ?? '')}
      error={props.error}
      disabled={props.disabled}
      clearable={!isLabelHidden}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
    />
  );
};

interface RateTableProps extends ListProps {
  readonly rows: readonly TierRate[];
  readonly valueName: string;
  /** Whether rates are relative to their sum; then their shares are shown. */
  readonly isRelative: boolean;
  readonly newRate: number;
  readonly among?: readonly string[];
  readonly addLabel: string;
}

/** A table of tiers with a number each. */
export const RateTable = (props: RateTableProps) => {
  const { shared, path, rows, valueName, isRelative, newRate, among, addLabel } = props;
  const sum = rows.reduce((total, { rate }) => total + Number(rate), 0);
  const nameOf = (tier: string, place: number) => shared.options.get(tier)?.name ?? `row ${place + 1}`;
  return (
    <Stack gap="xs">
      {rows.map(({ key, tier, rate }, place) => {
        const { error, ...field } = fieldOf(shared, `${path}.${place}.rate`);
        return (
          <div key={key}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TierSelect shared={shared} path={`${path}.${place}.tier`} label={`Tier ${place + 1}`} among={among} />
              <NumberInput
                w={86}
                aria-label={`${valueName} of ${nameOf(tier, place)}`}
                aria-describedby={error === undefined ? undefined : `fault-of-${key}`}
                min={0}
                error={error !== undefined}
                {...field}
              />
              {isRelative && (
                <Text visibleFrom="xs" w={76} size="sm" c="dimmed" ta="right" mt={8} className="numeric">
                  {sum > 0 ? formatShare(Number(rate) / sum, 3) : '–'}
                </Text>
              )}
              <RemoveRow shared={shared} path={path} place={place} label={`Remove ${nameOf(tier, place)}`} />
            </Group>
            {error !== undefined && (
              <Input.Error id={`fault-of-${key}`} mt={4}>
                {error}
              </Input.Error>
            )}
          </div>
        );
      })}
      <NewRow shared={shared} path={path} row={{ tier: '', rate: newRate }}>
        {addLabel}
      </NewRow>
    </Stack>
  );
};

interface SoftPityTableProps extends ListProps {
  readonly rows: readonly SoftPity[];
  readonly of: string;
}

/** The rolls from which a share increases. */
export const SoftPityTable = ({ shared, path, rows, of }: SoftPityTableProps) => (
  <Stack gap="xs">
    {rows.map(({ key }, place) => (
      <Group key={key} gap="xs" wrap="nowrap" align="flex-start">
        <NumberInput
          flex={1}
          aria-label={`Soft pity of ${of}: from roll, part ${place + 1}`}
          prefix="from roll "
          min={1}
          allowDecimal={false}
          {...fieldOf(shared, `${path}.${place}.from`)}
        />
        <NumberInput
          flex={1}
          aria-label={`Soft pity of ${of}: added each roll, part ${place + 1}`}
          prefix="+ "
          suffix=" % per roll"
          min={0}
          {...fieldOf(shared, `${path}.${place}.add`)}
        />
        <RemoveRow shared={shared} path={path} place={place} label={`Remove soft pity part ${place + 1} of ${of}`} />
      </Group>
    ))}
    <NewRow shared={shared} path={path} row={{ from: '', add: 5 }}>
      {rows.length === 0 ? 'Add soft pity' : 'Add a steeper part'}
    </NewRow>
  </Stack>
);
