import { ActionIcon, Group, Menu, Stack, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconApi,
  IconBook2,
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
} from '@tabler/icons-react';
import { PATH_PREFIX } from '../api/path-prefix.ts';
import { useTeam } from '../api/requests.ts';
import { Detail, Strong } from '../parts/text.tsx';
import { leaveSafely } from '../parts/unsaved.ts';
import { useSession } from '../session/session.tsx';

const SCHEMES = [
  { value: 'auto', label: 'System', icon: IconDeviceDesktop },
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
] as const;

const ColorScheme = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { icon: Icon } = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[0];
  return (
    <Menu position="top-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Colour scheme">
          <Icon size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label, icon: SchemeIcon }) => (
          <Menu.Item
            key={value}
            leftSection={<SchemeIcon size={16} />}
            rightSection={value === colorScheme ? <IconCheck size={16} /> : undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};

/** Who is signed in, with links and sign-out. */
export const Account = () => {
  const team = useTeam().data;
  const { signOut } = useSession();
  return (
    <Group gap={4} wrap="nowrap">
      <Menu position="top-start" width={230}>
        <Menu.Target>
          <UnstyledButton p={6} flex={1} miw={0}>
            <Group gap={6} wrap="nowrap">
              <Stack gap={0} miw={0} flex={1}>
                <Strong truncate>{team?.name}</Strong>
                <Detail truncate>{team?.role} secret</Detail>
              </Stack>
              <IconSelector size={16} />
            </Group>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component="a"
            href={`${PATH_PREFIX}/guides/`}
            target="_blank"
            leftSection={<IconBook2 size={16} />}
          >
            Guides
          </Menu.Item>
          <Menu.Item component="a" href={`${PATH_PREFIX}/docs/`} target="_blank" leftSection={<IconApi size={16} />}>
            API reference
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leaveSafely(() => signOut())}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ColorScheme />
    </Group>
  );
};
