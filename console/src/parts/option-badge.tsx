import { Badge, Tooltip } from '@mantine/core';
import type { KnownOption } from './catalog.ts';

export const OptionBadge = ({ option, name }: { option: KnownOption | undefined; name?: string }) => (
  <Tooltip label={option?.classifierName ?? 'A classifier option'}>
    <Badge variant="dot" size="md" color={option?.colour ?? 'gray'}>
      {option?.name ?? name ?? 'unknown'}
    </Badge>
  </Tooltip>
);
