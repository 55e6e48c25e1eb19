import { ActionIcon, Button, Group, Input, MultiSelect, NumberInput, Select, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { KnownOption } from '../../parts/catalog.ts';
import { formatShare } from '../../parts/format.ts';
import { newKey, type SoftPity, type TemplateValues, type TierRate } from './template-values.ts';

/** What the parts of the form share. */
export interface TemplateForm {
  readonly form: UseFormReturnType<TemplateValues>;
  /** Error messages by field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly isReadOnly: boolean;
  readonly options: ReadonlyMap<string, KnownOption>;
}

/** The props of an input for one field: its value, its change handler and its error. */
export const fieldOf = ({ form, faults, isReadOnly }: TemplateForm, path: string) => ({
  ...form.getInputProps(path),
  error: faults[path] ?? form.errors[path],
  disabled: isReadOnly,
});

const optionGroups = (options: ReadonlyMap<string, KnownOption>, chosen: readonly string[]) => {
  const groups = [...Map.groupBy(options.values(), ({ classifierName }) => classifierName)].map(([group, members]) => ({
    group,
    items: members.map(({ id, name }) => ({ value: id, label: name })),
  }));
  // References that are no longer in the catalog are still shown, so that they can be fixed.
  const unknown = chosen.filter((id) => id !== '' && !options.has(id));
  return unknown.length === 0
    ? groups
    : [...groups, { group: 'Not in the catalog', items: unknown.map((id) => ({ value: id, label: id })) }];
};

interface OptionFilterProps {
  readonly shared: TemplateForm;
  readonly path: string;
  readonly label: string;
}

/** Limits a pool to items that have one of the options of each classifier. */
export const OptionFilter = ({ shared, path, label }: OptionFilterProps) => {
  const { value, ...props } = fieldOf(shared, path);
  const chosen = value as string[];
  return (
    <MultiSelect
      label={label}
      placeholder={chosen.length === 0 ? 'any' : ''}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      data={optionGroups(shared.options, chosen)}
      value={chosen}
      {...props}
    />
  );
};

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

export const RemoveRow = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <ActionIcon variant="subtle" color="gray" mt={4} aria-label={label} onClick={onClick}>
    <IconTrash size={16} />
  </ActionIcon>
);

export const AddRow = ({ children, onClick }: { children: string; onClick: () => void }) => (
  <Button
    variant="subtle"
    size="xs"
    leftSection={<IconPlus size={14} />}
    style={{ alignSelf: 'flex-start' }}
    onClick={onClick}
  >
    {children}
  </Button>
);

interface RateTableProps {
  readonly shared: TemplateForm;
  /** The field that contains the rows. */
  readonly path: string;
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
              {!shared.isReadOnly && (
                <RemoveRow
                  label={`Remove ${nameOf(tier, place)}`}
                  onClick={() => shared.form.removeListItem(path, place)}
                />
              )}
            </Group>
            {error !== undefined && (
              <Input.Error id={`fault-of-${key}`} mt={4}>
                {error}
              </Input.Error>
            )}
          </div>
        );
      })}
      {shared.faults[path] !== undefined && <Input.Error>{shared.faults[path]}</Input.Error>}
      {!shared.isReadOnly && (
        <AddRow onClick={() => shared.form.insertListItem(path, { key: newKey(), tier: '', rate: newRate })}>
          {addLabel}
        </AddRow>
      )}
    </Stack>
  );
};

/** The rolls from which a share increases. */
export const SoftPityTable = ({
  shared,
  path,
  rows,
  of,
}: {
  shared: TemplateForm;
  path: string;
  rows: readonly SoftPity[];
  of: string;
}) => (
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
        {!shared.isReadOnly && (
          <RemoveRow
            label={`Remove soft pity part ${place + 1} of ${of}`}
            onClick={() => shared.form.removeListItem(path, place)}
          />
        )}
      </Group>
    ))}
    {shared.faults[path] !== undefined && <Input.Error>{shared.faults[path]}</Input.Error>}
    {!shared.isReadOnly && (
      <AddRow onClick={() => shared.form.insertListItem(path, { key: newKey(), from: '', add: 5 })}>
        {rows.length === 0 ? 'Add soft pity' : 'Add a steeper part'}
      </AddRow>
    )}
  </Stack>
);
