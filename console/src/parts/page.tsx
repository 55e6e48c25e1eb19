import { Box, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Curl, type CurlRequest } from './curl.tsx';
import { Note, TextLink } from './text.tsx';

export const usePageTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Itemwright`;
  }, [title]);
};

interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** The parent page. */
  readonly back?: { readonly href: string; readonly label: string };
  readonly actions?: ReactNode;
  /** The request behind the page, offered as a curl command. */
  readonly curl?: CurlRequest;
  readonly children: ReactNode;
}

export const Page = ({ title, about, back, actions, curl, children }: PageProps) => {
  usePageTitle(title);
  return (
    <Stack gap="lg" maw={1240} mx="auto">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box miw={0} flex="1 1 260px">
          {back !== undefined && <TextLink href={back.href}>← {back.label}</TextLink>}
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {about !== undefined && (
            <Note mt={4} maw={680}>
              {about}
            </Note>
          )}
        </Box>
        <Group gap="xs">
          {curl !== undefined && <Curl request={curl} />}
          {actions}
        </Group>
      </Group>
      {children}
    </Stack>
  );
};
