import { ActionIcon, Code, Group, Popover, Stack, Text, Tooltip } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
import { PATH_PREFIX } from '../api/path-prefix.ts';
import { Copy } from './copy.tsx';

export interface CurlRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** Quotes a string for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The secret is never included: the command reads what the first start prints from the environment. */
export const curlCommand = ({ method = 'GET', path, body }: CurlRequest): string => {
  const parts = ['curl', '-u "$ITEMWRIGHT_CREDENTIALS"'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  parts.push(quoted(`${window.location.origin}${PATH_PREFIX}${path}`));
  if (body !== undefined) parts.push(`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`);
  return parts.join(' ');
};

interface CurlProps {
  readonly request: CurlRequest;
  readonly label?: string;
}

export const Curl = ({ request, label = "Show this page's request as a curl command" }: CurlProps) => {
  const command = curlCommand(request);
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      position="bottom-end"
      width="min(480px, 92vw)"
      withArrow
      trapFocus
      shadow="md"
      opened={isOpen}
      onChange={setOpen}
    >
      <Popover.Target>
        <Tooltip label="Show as curl" disabled={isOpen}>
          <ActionIcon variant="default" size={36} aria-label={label} onClick={() => setOpen(!isOpen)}>
            <IconTerminal2 size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm">The request for a terminal. It reads ITEMWRIGHT_CREDENTIALS, which is TEAM_ID:SECRET.</Text>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {command}
          </Code>
          <Group justify="flex-end">
            <Copy text={command} size="xs" />
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
};
