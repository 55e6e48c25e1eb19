import { Group, Input, NumberInput, Slider, Stack } from '@mantine/core';

/** Deep enough for most games; greater depths can be typed. */
const USUAL_DEPTH = 100;
const MAX_DEPTH = 1000;

interface DepthSliderProps {
  readonly depth: number;
  readonly onChange: (depth: number) => void;
  /** Whether any rate changes with depth. */
  readonly isScaled: boolean;
  /** Why there are no odds at this depth. */
  readonly fault?: string;
}

/** The depth at which odds are shown. */
export const DepthSlider = ({ depth, onChange, isScaled, fault }: DepthSliderProps) => (
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
        aria-invalid={fault !== undefined}
      />
      <NumberInput
        w={76}
        aria-label="Depth, as a number"
        min={0}
        max={MAX_DEPTH}
        clampBehavior="strict"
        allowDecimal={false}
        allowNegative={false}
        value={depth}
        onChange={(value) => onChange(Number(value))}
        // Enter would save the template.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        error={fault !== undefined}
      />
    </Group>
    {fault !== undefined && <Input.Error role="alert">{fault}</Input.Error>}
  </Stack>
);
