import { Stack } from '@mantine/core';
import { type KeyboardEvent, memo, useState } from 'react';
import { useBasis } from '../../catalog/drafted.ts';
import { Curl } from '../../parts/curl.tsx';
import { requestOf, type Subject, startValues } from './simulation-values.ts';
import { Simulator } from './simulator.tsx';

interface TemplateSimulatorProps extends Pick<Subject, 'type' | 'config'> {
  /** What the result is called. */
  readonly nameOf: () => string;
  /** Why it cannot be simulated as it is. */
  readonly obstacle: string | undefined;
}

const keepFromSaving = (event: KeyboardEvent) => {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
};

/** The simulator next to the editor of a template: it simulates what is being edited, saved or not. */
export const TemplateSimulator = memo(({ nameOf, type, config, obstacle }: TemplateSimulatorProps) => {
  const { draftId } = useBasis();
  const subject = { name: nameOf(), type, config, ...(draftId !== undefined && { draftId }) };
  const [values, setValues] = useState(() => startValues(subject));
  const body = requestOf(subject, values);
  return (
    // It is within the form of the template, which Enter would save.
    <Stack gap="lg" onKeyDown={keepFromSaving}>
      <Simulator
        subject={subject}
        values={values}
        onChange={setValues}
        obstacle={obstacle}
        actions={
          <Curl
            request={{ method: 'POST', path: '/templates/simulate', body }}
            label="Show this simulation as a curl command"
          />
        }
      />
    </Stack>
  );
});
