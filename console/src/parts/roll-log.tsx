import { Affix, Badge, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useFocusWithin, useHover, useMergedRef, useWindowScroll } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import { type RollLogFilter, useItems, useNewestRolls, useRollLog, useTemplates } from '../api/requests.ts';
import { useLiveOptions } from '../catalog/reads.ts';
import { MoreButton } from './buttons.tsx';
import { formatCount } from './format.ts';
import { Loaded } from './loaded.tsx';
import { optionGroups } from './options.tsx';
import { RollEvents } from './roll-events.tsx';
import { Detail, Note } from './text.tsx';
import { useUrlState } from './url-state.ts';

const named = (rows: readonly { id: string; name: string }[] | undefined) =>
  rows?.map(({ id, name }) => ({ value: id, label: name })) ?? [];

/** The filters, which the address keeps. */
const useFilters = () => {
  const filters = {
    template: useUrlState('template'),
    item: useUrlState('item'),
    tier: useUrlState('tier'),
    from: useUrlState('from'),
    to: useUrlState('to'),
  };
  const { template, item, tier, from, to } = filters;
  const filter: RollLogFilter = {
    ...(template[0] !== '' && { templateId: template[0] }),
    ...(item[0] !== '' && { itemId: item[0] }),
    ...(tier[0] !== '' && { tier: tier[0] }),
    ...(from[0] !== '' && { from: `${from[0]}T00:00:00.000Z` }),
    ...(to[0] !== '' && { to: `${to[0]}T23:59:59.999Z` }),
  };
  return { filters, filter };
};

const LOOK = { size: 'xs', w: { base: 'calc(50% - 5px)', xs: 160 } } as const;

interface FiltersProps {
  readonly filters: ReturnType<typeof useFilters>['filters'];
  readonly onChange: () => void;
}

const Filters = ({ filters, onChange }: FiltersProps) => {
  const choices = {
    template: named(useTemplates().data?.rows),
    item: named(useItems().data?.rows),
    tier: optionGroups(useLiveOptions(), []),
  };
  return (
    <Group gap="xs">
      {(['template', 'item', 'tier'] as const).map((name) => (
        <Select
          {...LOOK}
          key={name}
          searchable
          clearable
          limit={200}
          aria-label={`${name.charAt(0).toUpperCase()}${name.slice(1)}`}
          placeholder={`Any ${name}`}
          clearButtonProps={{ 'aria-label': `Any ${name}` }}
          data={choices[name]}
          value={filters[name][0] || null}
          onChange={(value) => {
            filters[name][1](value);
            onChange();
          }}
        />
      ))}
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          {...LOOK}
          key={end}
          type="date"
          leftSection={<Detail span>{end}</Detail>}
          leftSectionWidth={42}
          aria-label={end === 'from' ? 'From day (UTC)' : 'To day (UTC)'}
          value={filters[end][0]}
          onChange={(event) => {
            filters[end][1](event.currentTarget.value);
            onChange();
          }}
        />
      ))}
    </Group>
  );
};

interface RollLogProps {
  /** Only the rolls of one player; of all without one. */
  readonly userId?: string;
}

/**
 * The log of rolls, with filters. It refreshes by itself, but never under the eyes of somebody who reads: below the top
 * of the page, with the pointer or the focus in it, with details open or older rolls shown, it stands still and says how
 * many are new.
 */
export const RollLog = ({ userId }: RollLogProps) => {
  const { filters, filter: chosen } = useFilters();
  const filter: RollLogFilter = { ...chosen, ...(userId !== undefined && { userId }) };
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { ref: hover, hovered: isHovered } = useHover<HTMLDivElement>();
  const { ref: focus, focused: isFocused } = useFocusWithin<HTMLDivElement>();
  const table = useMergedRef(hover, focus);
  const [hasOlder, setHasOlder] = useState(false);
  const [{ y }, scrollTo] = useWindowScroll();
  const isAway = y > 0;
  const isLive = !isAway && !isHovered && !isFocused && opened.size === 0 && !hasOlder;
  // Beginning anew forgets older pages.
  const [beginning, setBeginning] = useState(0);
  const log = useRollLog(filter, isLive, beginning);
  const newest = useNewestRolls(filter, !isLive);
  const events = log.data?.pages.flatMap(({ rows }) => rows) ?? [];

  const place = newest.data?.indexOf(events[0]?.id ?? '') ?? 0;
  const fresh = isLive || newest.data === undefined ? 0 : place < 0 ? newest.data.length : place;
  const reset = () => {
    setOpened(new Set());
    setHasOlder(false);
    setBeginning((count) => count + 1);
  };
  const showNew = () => {
    reset();
    scrollTo({ y: 0 });
  };
  const toggle = (id: string) =>
    setOpened((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  const newButton = fresh > 0 && (
    <Button size="compact-sm" leftSection={<IconArrowUp size={14} />} onClick={showNew}>
      {`Show ${formatCount(fresh)}${place < 0 ? ' or more' : ''} new ${fresh === 1 ? 'roll' : 'rolls'}`}
    </Button>
  );
  return (
    <Stack gap="sm">
      <Filters filters={filters} onChange={reset} />
      {/* A line of its own, always: what comes and goes in it moves nothing. */}
      <Group gap="xs" mih={28} role="status">
        <Badge variant="dot" color={isLive ? 'green' : 'gray'}>
          {isLive ? 'live' : 'paused while you read'}
        </Badge>
        {!isAway && newButton}
      </Group>
      <Loaded query={log} lines={8}>
        {() => (
          <>
            <div ref={table}>
              <RollEvents events={events} hasPlayers={userId === undefined} opened={opened} onToggle={toggle} />
            </div>
            <Group justify="space-between">
              <Note>
                {log.hasNextPage
                  ? `The newest ${formatCount(events.length)}.`
                  : `All ${formatCount(events.length)} that are kept.`}
              </Note>
              {log.hasNextPage && (
                <MoreButton
                  loading={log.isFetchingNextPage}
                  onClick={() => {
                    setHasOlder(true);
                    void log.fetchNextPage();
                  }}
                >
                  Show older rolls
                </MoreButton>
              )}
            </Group>
          </>
        )}
      </Loaded>
      {isAway && fresh > 0 && (
        <Affix
          position={{ bottom: 20, left: 0, right: 0 }}
          style={{ display: 'grid', placeItems: 'center', pointerEvents: 'none' }}
        >
          <div style={{ pointerEvents: 'auto' }}>{newButton}</div>
        </Affix>
      )}
    </Stack>
  );
};
