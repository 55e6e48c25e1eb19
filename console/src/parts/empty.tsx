import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconBox, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  readonly icon?: TablerIcon;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** An empty state: why there is nothing, and what to do about it. */
export const Empty = ({ title, icon: Icon = IconBox, children, action }: EmptyProps) => (
  <Center py={48} px="md">
    <Stack align="center" gap="sm" maw={420}>
      <ThemeIcon variant="light" color="gray" size={52} radius="xl">
        <Icon size={26} stroke={1.5} />
      </ThemeIcon>
      <Title order={2} size="h3" ta="center">
        {title}
      </Title>
      {children !== undefined && (
        <Text c="dimmed" size="sm" ta="center" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  </Center>
);
