import { Card, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

/** A table in a card. If it is wider than the screen it scrolls, by keyboard too. Narrow screens show fewer columns. */
export const TableCard = ({
  label,
  minWidth = 640,
  children,
}: {
  label: string;
  minWidth?: number;
  children: ReactNode;
}) => (
  <Card padding={0}>
    <Table.ScrollContainer minWidth={`calc(${minWidth}px * var(--console-wide))`} type="native" tabIndex={0}>
      <Table horizontalSpacing="md" aria-label={label}>
        {children}
      </Table>
    </Table.ScrollContainer>
  </Card>
);

/** The heading of a column of buttons, for screen readers only. */
export const ActionsHeader = () => (
  <Table.Th w={48}>
    <VisuallyHidden>Actions</VisuallyHidden>
  </Table.Th>
);
