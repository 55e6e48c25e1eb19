import { Button, Card, Grid, Group, NumberInput, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { reapplied } from '../../catalog/edits.ts';
import { type Entities, entityOf } from '../../catalog/entities.ts';
import { Cancelled } from '../../catalog/questions.tsx';
import { useCatalogItemOdds, useLiveOptions, useOptions } from '../../catalog/reads.ts';
import { StaleNotice } from '../../catalog/stale-notice.tsx';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import type { Schemas } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import { FaultList } from '../../parts/fault-list.tsx';
import { faultsOf } from '../../parts/field-errors.ts';
import { LinkButton } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { forgetUnsaved, useUnsaved } from '../../parts/unsaved.ts';
import { EntityHistory } from '../history/entity-history.tsx';
import { AttributeRanges } from './attribute-ranges.tsx';
import { Footprint } from './footprint.tsx';
import { entityOfValues, type ItemValues, NEW_ITEM, validateItem, valuesOf, valuesOfEntity } from './item-values.ts';
import { OddsShift } from './odds-shift.tsx';
import { OptionChoice } from './option-choice.tsx';

interface ItemEditorProps {
  /** Undefined for a new item. */
  readonly item: Schemas['Item'] | undefined;
  readonly attributes: readonly Schemas['Attribute'][];
  readonly classifiers: readonly Schemas['Classifier'][];
  /** What was entered is given up. */
  readonly onDiscard: () => void;
}

const FIELD = /^(?:id|name|thumbnail|rollNumerator|width|height|classifierOptionIds|itemAttributes\.\d+\.(?:min|max))$/;

export const ItemEditor = ({ item, attributes, classifiers, onDiscard }: ItemEditorProps) => {
  const { canDesign } = usePermissions();
  const options = useOptions();
  const liveOptions = useLiveOptions();
  const odds = useCatalogItemOdds();
  const [, navigate] = useLocation();
  const [otherFaults, setOtherFaults] = useState<readonly string[]>([]);
  const form = useForm<ItemValues>({
    initialValues: item === undefined ? NEW_ITEM : valuesOf(item),
    validate: validateItem,
    validateInputOnBlur: true,
  });

  useUnsaved(canDesign && form.isDirty());
  const leave = () => {
    forgetUnsaved();
    navigate('/items');
  };

  const current = item === undefined ? null : entityOf('item', item);
  /** The item that the form began with: whatever it has become since must not be overwritten unseen. */
  const [shown, setShown] = useState(current);
  const wantedOf = (values: ItemValues): Entities['item'] =>
    entityOfValues(values, shown, (id) => options.has(id) || !liveOptions.has(id));
  const save = useCatalogChange({
    kind: 'item',
    edit: (values: ItemValues) => ({ before: shown, after: wantedOf(values) }),
    done: ({ after }) => `${after?.name} saved`,
    afterwards: leave,
  });
  const remove = useCatalogChange({
    kind: 'item',
    edit: () => ({ before: shown, after: null }),
    done: ({ before }) => `${before?.name} deleted`,
    afterwards: leave,
    failed: 'Could not delete',
  });
  const reapply = () => {
    const edit = { kind: 'item', id: item?.id ?? '', before: shown, after: wantedOf(form.values) } as const;
    const { after } = reapplied(edit, current);
    form.setValues(valuesOfEntity(after as Entities['item']));
    setShown(current);
  };

  const submit = form.onSubmit((values) => {
    setOtherFaults([]);
    save.mutate(values, {
      onError: (error) => {
        if (error instanceof Cancelled) {
          if (error.isDiscarded) onDiscard();
          return;
        }
        const { fields, others } = faultsOf(error, (field) => FIELD.test(field));
        form.setErrors(fields);
        setOtherFaults(others);
      },
    });
  });

  return (
    <form onSubmit={submit} noValidate>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <StaleNotice
              kind="item"
              shown={shown}
              current={current}
              wanted={form.isDirty() ? wantedOf(form.values) : undefined}
              isSaving={save.isPending || remove.isPending}
              onReapply={reapply}
              onDiscard={onDiscard}
            />
            <FaultList faults={otherFaults} />
            <Card>
              <Stack>
                <Title order={2}>Basics</Title>
                <TextInput label="Name" withAsterisk disabled={!canDesign} {...form.getInputProps('name')} />
                {item === undefined && (
                  <TextInput
                    label="Id"
                    description="Your own id, such as sword-of-dawn; generated if left empty."
                    {...form.getInputProps('id')}
                  />
                )}
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
              </Stack>
            </Card>
            <Card>
              <Stack>
                <Title order={2}>Drop rate</Title>
                <NumberInput
                  label="Base weight"
                  description="Multiplied by the multipliers of its options; 0 means never."
                  min={0}
                  maw={260}
                  disabled={!canDesign}
                  {...form.getInputProps('rollNumerator')}
                />
                <OptionChoice
                  classifiers={classifiers}
                  chosen={form.values.classifierOptionIds}
                  onChange={(ids) => form.setFieldValue('classifierOptionIds', ids)}
                  isReadOnly={!canDesign}
                  error={form.errors.classifierOptionIds as string | undefined}
                />
              </Stack>
            </Card>
            <Card>
              <Stack>
                <Title order={2}>Attributes</Title>
                <AttributeRanges form={form} attributes={attributes} isReadOnly={!canDesign} />
              </Stack>
            </Card>
            <Card>
              <Stack>
                <Title order={2}>Size in a bag</Title>
                <Group align="flex-end">
                  <NumberInput
                    w={90}
                    label="Width"
                    min={1}
                    max={20}
                    allowDecimal={false}
                    hideControls={false}
                    disabled={!canDesign}
                    {...form.getInputProps('width')}
                  />
                  <NumberInput
                    w={90}
                    label="Height"
                    min={1}
                    max={20}
                    allowDecimal={false}
                    hideControls={false}
                    disabled={!canDesign}
                    {...form.getInputProps('height')}
                  />
                </Group>
                <Footprint
                  width={Math.min(20, Number(form.values.width) || 1)}
                  height={Math.min(20, Number(form.values.height) || 1)}
                />
              </Stack>
            </Card>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg" pos={{ md: 'sticky' }} top={68}>
            <Loaded query={odds} lines={6}>
              {(rows) => <OddsShift itemId={item?.id} values={form.values} odds={rows} options={options} />}
            </Loaded>
            <Group>
              {canDesign && (
                <Button type="submit" loading={save.isPending}>
                  {item === undefined ? 'Create item' : 'Save'}
                </Button>
              )}
              <LinkButton href="/items" variant="default">
                {canDesign ? 'Cancel' : 'Back'}
              </LinkButton>
              {canDesign && item !== undefined && (
                <Button
                  variant="subtle"
                  color="red"
                  leftSection={<IconTrash size={16} />}
                  ml="auto"
                  loading={remove.isPending}
                  onClick={() => remove.mutate(undefined)}
                >
                  Delete
                </Button>
              )}
            </Group>
            {item !== undefined && <EntityHistory kind="item" id={item.id} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </form>
  );
};
