import { Button, Grid, Group, JsonInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { asSentence, type Schemas } from '../../api/client.ts';
import { usePermissions } from '../../api/requests.ts';
import { completed, entityOf, newId } from '../../catalog/entities.ts';
import { EditorOnceLoaded, useEntityEditor } from '../../catalog/entity-editor.tsx';
import {
  useCatalogAttributes,
  useCatalogClassifiers,
  useCatalogItemOdds,
  useItemRows,
  useLiveOptions,
  useOptions,
} from '../../catalog/reads.ts';
import { FaultList, faultsOf } from '../../parts/faults.tsx';
import { IdField } from '../../parts/id-field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { Section } from '../../parts/section.tsx';
import { freeSlug } from '../../parts/slug.ts';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { forgetUnsaved } from '../../parts/unsaved.ts';
import { EntityHistory } from '../history/entity-history.tsx';
import { AttributeRanges } from './attribute-ranges.tsx';
import { Footprint } from './footprint.tsx';
import { entityOfValues, type ItemValues, isCurrency, validateItem, valuesOf } from './item-values.ts';
import { OddsShift } from './odds-shift.tsx';
import { OptionChoice } from './option-choice.tsx';

interface ItemEditorProps {
  /** Undefined for a new item. */
  readonly item: Schemas['Item'] | undefined;
  /** What was entered is given up. */
  readonly onDiscard: () => void;
}

const FIELD =
  /^(?:id|name|thumbnail|description|data|currency|rollNumerator|width|height|classifierOptionIds|itemAttributes\.\d+\.(?:min|max))$/;

const KINDS = [
  { value: 'none', label: 'Items, each on its own' },
  { value: 'freeFirst', label: 'A currency: free units are spent first' },
  { value: 'paidFirst', label: 'A currency: paid units are spent first' },
];

const NOTHING_TOLD = { name: '', id: '', thumbnail: '', description: '' };

const MAX_SIDE = 20;

/** What is drawn of a side while it is being typed. */
const cellsOf = (side: number | string): number => Math.min(MAX_SIDE, Math.max(1, Math.floor(Number(side)) || 1));

const LoadedEditor = ({ item, onDiscard }: ItemEditorProps) => {
  const { canDesign } = usePermissions();
  const options = useOptions();
  const liveOptions = useLiveOptions();
  const odds = useCatalogItemOdds();
  const rows = useItemRows();
  const known = useMemo(() => new Set(rows.map(({ id }) => id)), [rows]);
  const usualId = (name: string) => freeSlug(name, (id) => known.has(id));
  const [, navigate] = useLocation();
  const [otherFaults, setOtherFaults] = useState<readonly string[]>([]);
  const current = item === undefined ? null : entityOf('item', item);
  const form = useForm<ItemValues>({
    initialValues: valuesOf(current ?? completed('item', { id: '', name: '' })),
    validate: validateItem,
    validateInputOnBlur: true,
  });
  const isAnother = useRef(false);
  const nameField = useRef<HTMLInputElement>(null);
  const { submit, notice, buttons } = useEntityEditor({
    kind: 'item',
    current,
    form,
    valuesOf,
    wantedOf: (values, shown) => ({
      ...entityOfValues(values, shown, (id) => options.has(id) || !liveOptions.has(id)),
      id: shown?.id ?? (values.id.trim() || (usualId(values.name) ?? newId())),
    }),
    afterwards: () => {
      forgetUnsaved();
      if (!isAnother.current) return navigate('/items');
      // The next one is often of the same kind.
      const { name: _, id: __, thumbnail: ___, description: ____, ...kept } = form.values;
      form.setInitialValues({ ...form.values, ...NOTHING_TOLD, ...kept });
      form.reset();
      nameField.current?.focus();
    },
    onFault: (error) => {
      const { fields, others } = faultsOf(error, (field) => FIELD.test(field));
      form.setErrors(fields);
      setOtherFaults(others);
    },
    onDiscard,
    back: canDesign ? 'Cancel' : 'Back',
  });

  return (
    <form
      onSubmit={(event) => {
        isAnother.current = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('name') === 'another';
        submit(event);
      }}
      noValidate
      data-saves
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            {notice}
            <FaultList faults={otherFaults} />
            <Section title="Basics" gap="md">
              <TextInput
                label="Name"
                withAsterisk
                disabled={!canDesign}
                ref={nameField}
                {...form.getInputProps('name')}
              />
              {item === undefined && <IdField usual={usualId(form.values.name)} {...form.getInputProps('id')} />}
              <Group wrap="nowrap" align="flex-start">
                <Thumbnail name={form.values.name || '?'} thumbnail={form.values.thumbnail || null} size={76} />
                <TextInput
                  flex={1}
                  label="Thumbnail"
                  description="URL of an image (https:// or data:), or anything your game understands."
                  disabled={!canDesign}
                  {...form.getInputProps('thumbnail')}
                />
              </Group>
              <Textarea
                label="Description"
                description="What it is, for players or for your team."
                autosize
                minRows={2}
                maxRows={8}
                disabled={!canDesign}
                {...form.getInputProps('description')}
              />
            </Section>
            <Section title="Drop rate" gap="md">
              <NumberField
                label="Base weight"
                description="Multiplied by the multipliers of its options; 0 means never."
                min={0}
                maw={260}
                disabled={!canDesign}
                {...form.getInputProps('rollNumerator')}
              />
              <OptionChoice
                chosen={form.values.classifierOptionIds}
                onChange={(ids) => form.setFieldValue('classifierOptionIds', ids)}
                isReadOnly={!canDesign}
                error={form.errors.classifierOptionIds as string | undefined}
              />
            </Section>
            <Section title="Kind" gap="md">
              <Select
                label="What players have of it"
                description="A currency is counted in a balance: it has no size, no attributes, and is never placed."
                data={KINDS}
                allowDeselect={false}
                maw={420}
                disabled={!canDesign}
                {...form.getInputProps('currency')}
              />
            </Section>
            {!isCurrency(form.values) && (
              <>
                <Section title="Attributes" gap="md">
                  <AttributeRanges form={form} isReadOnly={!canDesign} />
                </Section>
                <Section title="Size in a bag" gap="md">
                  <Group align="flex-end">
                    {(['width', 'height'] as const).map((side) => (
                      <NumberField
                        key={side}
                        w={90}
                        label={asSentence(side)}
                        min={1}
                        max={MAX_SIDE}
                        isWhole
                        disabled={!canDesign}
                        {...form.getInputProps(side)}
                      />
                    ))}
                  </Group>
                  <Footprint width={cellsOf(form.values.width)} height={cellsOf(form.values.height)} />
                </Section>
              </>
            )}
            <Section title="Data" gap="md">
              <JsonInput
                label="Data of your game"
                description="A JSON object that your game reads with the item; Itemwright does not look into it."
                placeholder={'{ "sound": "clang" }'}
                autosize
                minRows={2}
                maxRows={16}
                disabled={!canDesign}
                {...form.getInputProps('data')}
              />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg" pos={{ md: 'sticky' }} top={68}>
            <Loaded query={odds} lines={6}>
              {(rows) => <OddsShift itemId={item?.id} values={form.values} odds={rows} options={options} />}
            </Loaded>
            {buttons}
            {item === undefined && canDesign && (
              <Button type="submit" variant="default" style={{ alignSelf: 'flex-start' }} name="another">
                Create and go on with another
              </Button>
            )}
            {item !== undefined && <EntityHistory kind="item" id={item.id} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </form>
  );
};

export const ItemEditor = ({ item }: Partial<ItemEditorProps>) => (
  <EditorOnceLoaded queries={[useCatalogAttributes(), useCatalogClassifiers()]}>
    {(onDiscard) => <LoadedEditor item={item} onDiscard={onDiscard} />}
  </EditorOnceLoaded>
);
