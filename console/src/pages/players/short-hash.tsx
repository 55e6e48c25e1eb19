import { Code, Group } from '@mantine/core';
import { Copy } from '../../parts/copy.tsx';

const SHOWN = 12;

/** The beginning of a hash, and all of it to copy. */
export const ShortHash = ({ hash, name }: { hash: string; name: string }) => (
  <Group gap={6}>
    <Code title={hash} style={{ whiteSpace: 'nowrap' }}>
      {hash.slice(0, SHOWN)}…
    </Code>
    <Copy text={hash} size="compact-xs" what={`the ${name}`} />
  </Group>
);
