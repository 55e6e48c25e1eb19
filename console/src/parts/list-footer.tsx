import { Group, Pagination, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ListFooterProps {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
  /** Whether there are more than were read. */
  readonly isTruncated: boolean;
  readonly children: ReactNode;
}

/** The footer of a paged list: the number of rows, and the pagination. */
export const ListFooter = ({ page, pages, onPage, isTruncated, children }: ListFooterProps) => (
  <Group justify="space-between">
    <Text size="sm" c="dimmed" role="status">
      {children}
      {isTruncated && ' (the oldest; there are more than the console loads)'}
    </Text>
    {pages > 1 && (
      <Pagination
        total={pages}
        value={page}
        onChange={onPage}
        size="sm"
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      />
    )}
  </Group>
);
