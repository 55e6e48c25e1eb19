import { Button, SimpleGrid } from '@mantine/core';
import { IconCards } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { memo, useMemo } from 'react';
import { useBasis } from '../../catalog/drafted.ts';
import { useItemRows } from '../../catalog/reads.ts';
import { FaultList, faultsOf } from '../../parts/faults.tsx';
import { TestRollCard } from '../../parts/roll-card.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail } from '../../parts/text.tsx';
import { useApi } from '../../session/session.tsx';
import { SYSTEMS } from './systems.ts';
import type { Config, TemplateType } from './template-values.ts';

interface OpenTenProps {
  readonly type: TemplateType;
  readonly config: Config;
  /** Of offers; 0 for other types. */
  readonly depth: number;
  /** Why the configuration cannot be rolled on. */
  readonly obstacle: string | undefined;
}

const COUNT = 10;

/** What a new player could get, with the configuration as it is being edited. */
export const OpenTen = memo(({ type, config, depth, obstacle }: OpenTenProps) => {
  const api = useApi();
  const { draftId } = useBasis();
  const items = useItemRows();
  const byId = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);
  const { rolls: unit } = SYSTEMS[type];
  const roll = useMutation({
    mutationFn: () =>
      api.templates.testRolls({ type, config, draftId, count: COUNT, ...(type === 'roguelike' && { depth }) }),
  });
  const rolled = roll.data?.rolls ?? [];
  return (
    <Section
      title={`Ten ${unit}`}
      about="What one new player could get with this configuration, saved or not. Nothing is given or recorded."
      gap="md"
    >
      <Button
        leftSection={<IconCards size={18} />}
        disabled={obstacle !== undefined}
        loading={roll.isPending}
        onClick={() => roll.mutate()}
        style={{ alignSelf: 'flex-start' }}
      >
        {rolled.length === 0 ? 'Open ten' : 'Open ten more'}
      </Button>
      {obstacle !== undefined && <Detail role="status">{obstacle}</Detail>}
      <FaultList faults={faultsOf(roll.error).others} title="Could not roll" />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" aria-live="polite">
        {rolled.map((one, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same item may come up twice.
          <TestRollCard key={`${roll.data?.seed} ${place}`} roll={one} item={byId.get(one.itemId)} size={36} />
        ))}
      </SimpleGrid>
    </Section>
  );
});
