import { Group, Input, Slider, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { NumberField } from '../../parts/number-field.tsx';
import { numberFault } from '../../parts/number-text.ts';

/** Deep enough for most games; greater depths can be typed. */
const USUAL_DEPTH = 100;
const LIMITS = { min: 0, max: 1000, isWhole: true };

interface DepthSliderProps {
  readonly depth: number;
  readonly onChange: (depth: number) => void;
  /** Whether any rate changes with depth. */
  readonly isScaled: boolean;
  /** Why there are no odds at this depth. */
  readonly fault?: string;
}

/** The depth at which odds are shown. */
export const DepthSlider = ({ depth, onChange, isScaled, fault }: DepthSliderProps) => {
  const [typed, setTyped] = useState<number | string>(depth);
  useEffect(() => setTyped(depth), [depth]);
  const shownFault = numberFault(typed, LIMITS) ?? fault;
  const type = (value: number | string) => {
    setTyped(value);
    if (typeof value === 'number' && numberFault(value, LIMITS) === undefined) onChange(value);
  };
  return (
    <Stack gap={4}>
      <Input.Label component="div">Depth</Input.Label>
      <Input.Description>
        {isScaled
          ? 'The odds below are those of offers at this depth.'
          : 'No rate changes with depth, so the odds are the same at every depth.'}
      </Input.Description>
      <Group wrap="nowrap" gap="lg" align="center">
        <Slider
          flex={1}
          min={0}
          max={Math.max(USUAL_DEPTH, depth)}
          value={depth}
          onChange={onChange}
          // The number is next to it.
          label={null}
          thumbLabel="Depth"
          aria-invalid={shownFault !== undefined}
        />
        <NumberField
          w={76}
          aria-label="Depth, as a number"
          {...LIMITS}
          value={typed}
          onChange={type}
          // Enter would save the template.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          error={shownFault !== undefined}
          isFaultElsewhere
        />
      </Group>
      {shownFault !== undefined && <Input.Error role="alert">{shownFault}</Input.Error>}
    </Stack>
  );
};
