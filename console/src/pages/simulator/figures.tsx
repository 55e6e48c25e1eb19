import { Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Swatch } from '../../parts/options.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import classes from './figures.module.css';
import type { Target } from './targets.ts';

const TargetName = ({ target: { kind, colour, name, item } }: { target: Target }) => {
  if (kind === 'tier')
    return (
      <Group gap={8} wrap="nowrap">
        <Swatch colour={colour} />
        <Text inherit fw={600}>
          {name}
        </Text>
      </Group>
    );
  return (
    <Group gap={8} wrap="nowrap">
      <Box visibleFrom="sm">
        <Thumbnail name={name} thumbnail={item?.thumbnail ?? null} size={24} />
      </Box>
      <div>
        <Text inherit fw={600} lh={1.25}>
          {name}
        </Text>
        {kind === 'featured' && <Detail lh={1.2}>featured</Detail>}
      </div>
    </Group>
  );
};

interface FiguresProps {
  readonly title: string;
  readonly about: ReactNode;
  /** All but the first. */
  readonly columns: readonly Column<Target>[];
  readonly targets: readonly Target[];
  readonly note?: ReactNode;
}

/** A table with a row for each tier and item. */
export const Figures = ({ title, about, columns, targets, note }: FiguresProps) => (
  <Section title={title} about={about}>
    <DataTable
      label={title}
      columns={[
        { header: 'Tier or item', cell: (target) => <TargetName target={target} /> },
        ...columns.map((column): Column<Target> => ({ ...column, ta: 'right' })),
      ]}
      rows={targets}
      keyOf={({ key }) => key}
      minWidth={300}
      verticalSpacing={6}
      className={classes.table}
    />
    {note}
  </Section>
);
