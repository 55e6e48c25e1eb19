import { Box, Card, ColorSwatch, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KnownOption } from '../../parts/catalog.ts';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import classes from './figures.module.css';
import type { Target } from './targets.ts';

interface TargetNameProps {
  readonly target: Target;
  readonly options: ReadonlyMap<string, KnownOption>;
}

const TargetName = ({ target: { kind, id, name, item }, options }: TargetNameProps) => {
  if (kind === 'tier')
    return (
      <Group gap={8} wrap="nowrap">
        <ColorSwatch
          size={10}
          withShadow={false}
          color={`var(--mantine-color-${options.get(id ?? '')?.colour ?? 'verdigris'}-6)`}
          aria-hidden
        />
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
        {kind === 'featured' && (
          <Text size="xs" c="dimmed" lh={1.2}>
            featured
          </Text>
        )}
      </div>
    </Group>
  );
};

export interface Column {
  readonly label: string;
  readonly value: (target: Target) => ReactNode;
  readonly visibleFrom?: 'sm';
}

interface FiguresProps {
  readonly title: string;
  readonly about: ReactNode;
  readonly columns: readonly Column[];
  readonly targets: readonly Target[];
  readonly options: ReadonlyMap<string, KnownOption>;
  readonly note?: ReactNode;
}

/** A table with a row for each tier and item. */
export const Figures = ({ title, about, columns, targets, options, note }: FiguresProps) => (
  <Card component="section" aria-label={title}>
    <Stack gap="sm">
      <div>
        <Title order={2}>{title}</Title>
        <Text size="sm" c="dimmed" mt={2}>
          {about}
        </Text>
      </div>
      <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
        <Table verticalSpacing={6} className={classes.table} aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Tier or item</Table.Th>
              {columns.map(({ label, visibleFrom }) => (
                <Table.Th key={label} ta="right" visibleFrom={visibleFrom}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {targets.map((target) => (
              <Table.Tr key={target.key}>
                <Table.Td>
                  <TargetName target={target} options={options} />
                </Table.Td>
                {columns.map(({ label, value, visibleFrom }) => (
                  <Table.Td key={label} ta="right" visibleFrom={visibleFrom}>
                    {value(target)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {note}
    </Stack>
  </Card>
);
