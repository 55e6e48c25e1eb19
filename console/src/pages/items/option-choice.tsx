import { Chip, Group, Input, MultiSelect, Stack } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useCatalogClassifiers } from '../../catalog/reads.ts';
import { formatNumber } from '../../parts/format.ts';
import { Note, TextLink } from '../../parts/text.tsx';

const MAX_CHIPS = 12;

interface OptionChoiceProps {
  readonly chosen: string[];
  readonly onChange: (chosen: string[]) => void;
  readonly isReadOnly: boolean;
  readonly error?: string | undefined;
}

const labelOf = ({ name, dropRateMultiplier }: Schemas['ClassifierOption']): string =>
  dropRateMultiplier === null || dropRateMultiplier === 1 ? name : `${name} ×${formatNumber(dropRateMultiplier)}`;

/** The options of an item, by classifier. */
export const OptionChoice = ({ chosen, onChange, isReadOnly, error }: OptionChoiceProps) => {
  const classifiers = useCatalogClassifiers().data?.rows ?? [];
  if (classifiers.length === 0)
    return (
      <Note>
        There are no classifiers yet.{' '}
        <TextLink href="/classifiers" underline="always">
          Create one
        </TextLink>
        , such as rarity.
      </Note>
    );
  const choose = (classifier: Schemas['Classifier'], ids: string[]) => {
    const own = new Set(classifier.classifierOptions.map(({ id }) => id));
    onChange([...chosen.filter((id) => !own.has(id)), ...ids]);
  };
  return (
    <Stack gap="md">
      {classifiers.map((classifier) => {
        const { id, name, classifierOptions } = classifier;
        const own = chosen.filter((option) => classifierOptions.some((known) => known.id === option));
        if (classifierOptions.length > MAX_CHIPS)
          return (
            <MultiSelect
              key={id}
              label={name}
              searchable
              disabled={isReadOnly}
              data={classifierOptions.map((option) => ({ value: option.id, label: labelOf(option) }))}
              value={own}
              onChange={(ids) => choose(classifier, ids)}
            />
          );
        return (
          <Stack key={id} gap={6} role="group" aria-label={name}>
            <Input.Label component="div">{name}</Input.Label>
            <Chip.Group multiple value={own} onChange={(ids) => choose(classifier, ids)}>
              <Group gap={6}>
                {classifierOptions.map((option) => (
                  <Chip key={option.id} value={option.id} size="sm" disabled={isReadOnly}>
                    {labelOf(option)}
                  </Chip>
                ))}
                {classifierOptions.length === 0 && <Note>No options yet.</Note>}
              </Group>
            </Chip.Group>
          </Stack>
        );
      })}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
    </Stack>
  );
};
