import { Group, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { type RollLogFilter, useItems, useRollLog, useTemplates } from '../api/requests.ts';
import { useLiveOptions } from '../catalog/reads.ts';
import { MoreButton } from './buttons.tsx';
import { formatCount } from './format.ts';
import { Loaded } from './loaded.tsx';
import { optionGroups } from './options.tsx';
import { RollEvents } from './roll-events.tsx';
import { Note } from './text.tsx';

const named = (rows: readonly { id: string; name: string }[] | undefined) =>
  rows?.map(({ id, name }) => ({ value: id, label: name })) ?? [];

interface RollLogProps {
  /** Only the rolls of one player; of all without one. */
  readonly userId?: string;
}

/** The log of rolls, with filters; it refreshes by itself. */
export const RollLog = ({ userId }: RollLogProps) => {
  const [filter, setFilter] = useState<Omit<RollLogFilter, 'userId'>>({});
  const [pages, setPages] = useState(1);
  const log = useRollLog({ ...filter, ...(userId !== undefined && { userId }) }, pages);
  const change = (member: keyof typeof filter) => (value: string | null) => {
    setPages(1);
    setFilter(({ [member]: _, ...others }) => (value === null ? others : { ...others, [member]: value }));
  };
  const templates = useTemplates();
  const items = useItems();
  const options = useLiveOptions();
  const look = { searchable: true, clearable: true, size: 'xs', w: 200, limit: 200 } as const;
  return (
    <Stack>
      <Group gap="sm">
        <Select
          {...look}
          aria-label="Template"
          placeholder="Any template"
          clearButtonProps={{ 'aria-label': 'Any template' }}
          data={named(templates.data?.rows)}
          value={filter.templateId ?? null}
          onChange={change('templateId')}
        />
        <Select
          {...look}
          aria-label="Item"
          placeholder="Any item"
          clearButtonProps={{ 'aria-label': 'Any item' }}
          data={named(items.data?.rows)}
          value={filter.itemId ?? null}
          onChange={change('itemId')}
        />
        <Select
          {...look}
          aria-label="Tier"
          placeholder="Any tier"
          clearButtonProps={{ 'aria-label': 'Any tier' }}
          data={optionGroups(options, [])}
          value={filter.tier ?? null}
          onChange={change('tier')}
        />
      </Group>
      <Loaded query={log} lines={8}>
        {({ rows, isTruncated }) => (
          <>
            <RollEvents events={rows} hasPlayers={userId === undefined} />
            <Group justify="space-between">
              <Note>The newest {formatCount(rows.length)}, refreshed every five seconds.</Note>
              {isTruncated && <MoreButton onClick={() => setPages(pages + 1)}>Show older rolls</MoreButton>}
            </Group>
          </>
        )}
      </Loaded>
    </Stack>
  );
};
