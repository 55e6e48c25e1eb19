import { useState } from 'react';
import { LiveNote } from '../../catalog/marks.tsx';
import type { Schemas } from '../../interface/client.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { Curl } from '../../parts/curl.tsx';
import { requestOf, type Subject, startValues } from './simulation-values.ts';
import { Simulator } from './simulator.tsx';

interface TemplateSimulatorProps {
  readonly subject: Subject;
  readonly isUnfinished: boolean;
  readonly items: readonly Schemas['Item'][];
  readonly options: ReadonlyMap<string, KnownOption>;
}

/** The simulator next to the editor of a template: it simulates what is being edited, saved or not. */
export const TemplateSimulator = ({ subject, isUnfinished, items, options }: TemplateSimulatorProps) => {
  const [values, setValues] = useState(() => startValues(subject));
  const body = requestOf(subject, values);
  return (
    <>
      <LiveNote>Simulations use the live items and multipliers.</LiveNote>
      <Simulator
        subject={subject}
        values={values}
        onChange={setValues}
        items={items}
        options={options}
        obstacle={isUnfinished ? 'A row has no tier yet.' : undefined}
        actions={
          <Curl
            request={{ method: 'POST', path: '/templates/simulate', body }}
            label="Show this simulation as a curl command"
          />
        }
      />
    </>
  );
};
