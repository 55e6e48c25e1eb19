import {
  ActionIcon,
  Alert,
  Button,
  Card,
  Group,
  Progress,
  SimpleGrid,
  Stack,
  TextInput,
  Title,
  Tooltip,
} from '@mantine/core';
import { IconAlertCircle, IconDice5, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { type ChangeEvent, type KeyboardEvent, useMemo } from 'react';
import { asSentence, hasStatus } from '../../api/client.ts';
import { useItemRows } from '../../catalog/reads.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { FaultList } from '../../parts/faults.tsx';
import { formatCount } from '../../parts/format.ts';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { Detail, Note } from '../../parts/text.tsx';
import { SYSTEMS } from '../templates/systems.ts';
import { missingOf, SIMULATION_LIMITS, type SimulationValues, simulationFaults } from './simulation-values.ts';
import type { SimulatorProps } from './simulator.tsx';

const MAX_ITEMS = 20;

const Running = ({ progress, onCancel }: Pick<SimulationFormProps, 'progress' | 'onCancel'>) => (
  <Stack gap={6}>
    <Group wrap="nowrap">
      <Progress
        flex={1}
        size="lg"
        value={100 * progress}
        aria-label="Progress of the simulation"
        transitionDuration={100}
      />
      <Button
        variant="default"
        size="xs"
        miw="max-content"
        leftSection={<IconPlayerStop size={14} />}
        onClick={onCancel}
      >
        Cancel
      </Button>
    </Group>
    <Detail>
      {progress === 0
        ? 'Starting. If somebody else is simulating, yours waits its turn.'
        : `${Math.round(100 * progress)} % done`}
    </Detail>
  </Stack>
);

const Failed = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => {
  if (hasStatus(error, 429, 503))
    return (
      <Alert color="yellow" icon={<IconAlertCircle />} title="The service is busy" role="alert">
        <Stack align="flex-start" gap="sm">
          Others are simulating, and too many simulations are already waiting. Try again in a moment.
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Stack>
      </Alert>
    );
  return <FaultList faults={simulationFaults(error).others} title="Could not simulate" />;
};

interface SimulationFormProps extends SimulatorProps {
  readonly isRunning: boolean;
  readonly isCanceled: boolean;
  readonly progress: number;
  readonly error: unknown;
  readonly onRun: () => void;
  readonly onCancel: () => void;
}

export const SimulationForm = (props: SimulationFormProps) => {
  const { subject, values, onChange, obstacle, isRunning, isCanceled, progress, error, onRun, onCancel } = props;
  const items = useItemRows();
  const { rolls: many, oneRoll } = SYSTEMS[subject.type];
  const missing = missingOf(values, subject.type);
  const canRun = obstacle === undefined && Object.keys(missing).length === 0 && !isRunning;
  const fields: Record<string, string> = { ...(error !== null && simulationFaults(error).fields), ...missing };
  const set = (changed: Partial<SimulationValues>) => onChange({ ...values, ...changed });
  const field = (name: 'players' | 'rolls' | 'pricePerRoll' | 'depth') => ({
    value: values[name],
    onChange: (value: number | string) => set({ [name]: value }),
    error: fields[name],
    ...SIMULATION_LIMITS[name],
  });
  const text = (name: 'currency' | 'seed') => ({
    value: values[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => set({ [name]: event.currentTarget.value }),
    error: fields[name],
  });
  const total = Number(values.players) * Number(values.rolls);
  const { featuredItemIds } = subject.config;
  const others = useMemo(() => {
    const featured = new Set(featuredItemIds);
    return featured.size === 0 ? items : items.filter(({ id }) => !featured.has(id));
  }, [items, featuredItemIds]);
  const runOnEnter = (event: KeyboardEvent) => {
    const isInInput = event.key === 'Enter' && event.target instanceof HTMLInputElement;
    if (isInInput && !event.defaultPrevented && canRun) onRun();
  };
  return (
    <Card component="section" aria-label="Simulation" onKeyDown={runOnEnter}>
      <Stack gap="md">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Title order={2}>Simulate players</Title>
            <Note mt={4}>New players roll by the rules of real rolls. Nothing is saved, given or counted.</Note>
          </div>
          {props.actions}
        </Group>
        {props.children}
        <SimpleGrid cols={2} spacing="sm">
          <NumberField label="Players" {...field('players')} />
          <NumberField label={`${asSentence(many)} each`} {...field('rolls')} />
          <NumberField label={`Price of ${oneRoll}`} placeholder="none" {...field('pricePerRoll')} />
          <TextInput label="Currency" placeholder="e.g. gems" maxLength={20} {...text('currency')} />
        </SimpleGrid>
        {subject.type === 'roguelike' && (
          <NumberField label="Depth" description="All offers are made at this depth." {...field('depth')} />
        )}
        <ItemPicker
          label="Also report these items"
          description="Tiers and featured items are always reported."
          placeholder={values.itemIds.length === 0 ? 'none' : ''}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the items' }}
          maxValues={MAX_ITEMS}
          items={others}
          value={values.itemIds}
          onChange={(itemIds) => set({ itemIds })}
          error={fields.itemIds}
        />
        <TextInput
          label="Seed"
          description="The same seed gives the same result."
          maxLength={191}
          {...text('seed')}
          rightSection={
            <Tooltip label="Another seed">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label="Choose another seed"
                onClick={() => set({ seed: `seed-${crypto.getRandomValues(new Uint32Array(1))[0]}` })}
              >
                <IconDice5 size={16} />
              </ActionIcon>
            </Tooltip>
          }
        />
        {error !== null && !isRunning && <Failed error={error} onRetry={onRun} />}
        {isRunning ? (
          <Running progress={progress} onCancel={onCancel} />
        ) : (
          <Stack gap={6}>
            <IconButton variant="filled" icon={IconPlayerPlay} disabled={!canRun} onClick={onRun}>
              Run the simulation
            </IconButton>
            <Detail role="status">
              {obstacle ?? (isCanceled ? 'Canceled.' : total > 0 && `${formatCount(total)} ${many} in total.`)}
            </Detail>
          </Stack>
        )}
      </Stack>
    </Card>
  );
};
