import { DataList, type DataListProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface FactsProps extends DataListProps {
  /** Values by label, in order; null or false if there is none. */
  readonly facts: Readonly<Record<string, ReactNode>>;
}

export const Facts = ({ facts, ...rest }: FactsProps) => (
  <DataList orientation="horizontal" {...rest}>
    {Object.entries(facts)
      .filter(([, value]) => value !== null && value !== false)
      .map(([label, value]) => (
        <DataList.Item key={label}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{value}</DataList.ItemValue>
        </DataList.Item>
      ))}
  </DataList>
);
