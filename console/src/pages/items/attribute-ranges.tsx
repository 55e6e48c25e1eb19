import { Group, RangeSlider, Select, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Schemas } from '../../api/client.ts';
import { useCatalogAttributes } from '../../catalog/reads.ts';
import { RemoveButton } from '../../parts/buttons.tsx';
import { formatNumber } from '../../parts/format.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { Detail, Note, Strong, TextLink } from '../../parts/text.tsx';
import type { ItemValues } from './item-values.ts';

/** Whole bounds without a step give whole numbers; otherwise a hundredth of the range is fine enough for a slider. */
const stepOf = ({ min, max, step }: Schemas['Attribute']): number => {
  if (step !== null) return step;
  return Number.isInteger(min) && Number.isInteger(max) ? 1 : (max - min) / 100;
};

const between = (value: number | string, attribute: Schemas['Attribute'], fallback: number): number =>
  typeof value !== 'number' ? fallback : Math.min(attribute.max, Math.max(attribute.min, value));

/** The attributes of an item, each with the range from which the values of its instances are rolled. */
export const AttributeRanges = ({ form, isReadOnly }: { form: UseFormReturnType<ItemValues>; isReadOnly: boolean }) => {
  const attributes = useCatalogAttributes().data?.rows ?? [];
  const chosen = form.values.itemAttributes;
  const free = attributes.filter(({ id }) => chosen.every(({ attributeId }) => attributeId !== id));
  const add = (attributeId: string | null) => {
    const attribute = attributes.find(({ id }) => id === attributeId);
    if (attribute !== undefined)
      form.insertListItem('itemAttributes', { attributeId: attribute.id, min: attribute.min, max: attribute.max });
  };
  const set = (place: number, member: 'min' | 'max', value: number | string) =>
    form.setFieldValue(`itemAttributes.${place}.${member}`, value);

  if (attributes.length === 0)
    return (
      <Note>
        There are no attributes yet.{' '}
        <TextLink href="/attributes" underline="always">
          Create one
        </TextLink>
        , such as damage or armour.
      </Note>
    );
  return (
    <Stack gap="lg">
      {chosen.map(({ attributeId, min, max }, place) => {
        const attribute = attributes.find(({ id }) => id === attributeId);
        if (attribute === undefined) return null;
        const { name } = attribute;
        const bound = (member: 'min' | 'max', label: string, value: number | string) => (
          <NumberField
            w={92}
            aria-label={label}
            disabled={isReadOnly}
            value={value}
            onChange={(changed) => set(place, member, changed)}
            error={form.errors[`itemAttributes.${place}.${member}`]}
          />
        );
        return (
          <Stack key={attributeId} gap={6}>
            <Group justify="space-between" wrap="nowrap">
              <Strong>
                {name}{' '}
                <Detail span fw={400}>
                  {formatNumber(attribute.min)} to {formatNumber(attribute.max)}
                </Detail>
              </Strong>
              {!isReadOnly && (
                <RemoveButton label={`Remove ${name}`} onClick={() => form.removeListItem('itemAttributes', place)} />
              )}
            </Group>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              {bound('min', `Lowest ${name}`, min)}
              <RangeSlider
                flex={1}
                mt={14}
                min={attribute.min}
                max={attribute.max}
                step={stepOf(attribute)}
                minRange={0}
                disabled={isReadOnly}
                label={(value) => formatNumber(value)}
                thumbFromLabel={`Lowest ${name}`}
                thumbToLabel={`Highest ${name}`}
                value={[between(min, attribute, attribute.min), between(max, attribute, attribute.max)]}
                onChange={([low, high]) => {
                  set(place, 'min', low);
                  set(place, 'max', high);
                }}
              />
              {bound('max', `Highest ${name}`, max)}
            </Group>
          </Stack>
        );
      })}
      {!isReadOnly && free.length > 0 && (
        <Select
          label={chosen.length === 0 ? 'Add an attribute' : 'Add another attribute'}
          placeholder="Choose one"
          searchable
          data={free.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          onChange={add}
        />
      )}
    </Stack>
  );
};
