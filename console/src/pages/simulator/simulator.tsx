import { Grid, Stack } from '@mantine/core';
import { IconTestPipe } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { usePermissions } from '../../api/requests.ts';
import { EmptyCard } from '../../parts/loaded.tsx';
import { Results } from './results.tsx';
import { SimulationForm } from './simulation-form.tsx';
import { requestOf, type SimulationValues, type Subject } from './simulation-values.ts';
import classes from './simulator.module.css';
import { useSimulation } from './use-simulation.ts';

export interface SimulatorProps {
  readonly subject: Subject;
  readonly values: SimulationValues;
  readonly onChange: (values: SimulationValues) => void;
  /** Why the configuration cannot be simulated now. */
  readonly obstacle?: string;
  /** Whether the result is next to the inputs, if there is room. */
  readonly isWide?: boolean;
  readonly actions?: ReactNode;
  /** Inputs in front of the others. */
  readonly children?: ReactNode;
}

/** Inputs, and the result of the last simulation. */
export const Simulator = (props: SimulatorProps) => {
  const { subject, values, obstacle, isWide = false } = props;
  const { canDesign } = usePermissions();
  const { run, cancel, outcome, ...state } = useSimulation();
  const asked = JSON.stringify(requestOf(subject, values));
  const form = (
    <SimulationForm
      {...props}
      obstacle={canDesign ? obstacle : 'Simulating requires a secret with the role design or write.'}
      {...state}
      onRun={() => run(subject, values)}
      onCancel={cancel}
    />
  );
  const result =
    outcome === undefined ? (
      <EmptyCard title="No simulation yet" icon={IconTestPipe}>
        Run one to see how long players wait, what they pay, and how often pity has to step in.
      </EmptyCard>
    ) : (
      <Results outcome={outcome} isOutdated={JSON.stringify(outcome.request) !== asked} />
    );
  if (!isWide)
    return (
      <Stack gap="lg">
        {form}
        {outcome !== undefined && result}
      </Stack>
    );
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <div className={classes.inputs}>{form}</div>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>{result}</Grid.Col>
    </Grid>
  );
};
