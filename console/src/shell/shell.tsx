import { AppShell, Burger, Group, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Questions } from '../catalog/questions.tsx';
import { Account } from './account.tsx';
import { CatalogBar } from './catalog-bar.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { useHotkeysOfPages } from './hotkeys.ts';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <UnstyledButton className={classes.search} onClick={onClick} aria-keyshortcuts="Control+K">
    <IconSearch size={16} aria-hidden />
    Go to
    <kbd className={classes.key} aria-hidden>
      Ctrl K
    </kbd>
  </UnstyledButton>
);

/** Loaded when it is first opened. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

export const Shell = ({ children }: { children: ReactNode }) => {
  const [isOpen, { toggle, close }] = useDisclosure();
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  useHotkeys(isOpen ? [['Escape', close]] : []);
  const [isSearching, setSearching] = useState(false);
  useHotkeysOfPages(() => setSearching(true));
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  const section = location.split('/')[1] ?? '';
  const isFirst = useRef(true);
  /** Another catalog is shown: pages start anew, with its values in their forms. */
  const [switches, setSwitches] = useState(0);

  // A new page starts at the top, and screen readers start reading there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the page changes.
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [section]);

  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
      withBorder={false}
      transitionDuration={150}
    >
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <AppShell.Header className={classes.header} hiddenFrom="sm">
        <Group h="100%" px="md" gap="sm">
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            aria-label="Navigation"
            aria-expanded={isOpen}
            aria-controls="navigation"
          />
          <Logo />
          <Text fw={650}>Itemwright</Text>
        </Group>
      </AppShell.Header>
      {/* Inert while hidden, so that the Tab key skips it; while open, so is the content that it covers. */}
      <AppShell.Navbar p="sm" id="navigation" className={classes.navbar} aria-label="Main" inert={!isWide && !isOpen}>
        <Group gap="sm" px={10} py={6} visibleFrom="sm">
          <Logo />
          <Text fw={650}>Itemwright</Text>
        </Group>
        <SearchButton onClick={() => setSearching(true)} />
        <AppShell.Section grow style={{ overflowY: 'auto' }}>
          <Navigation onNavigate={close} />
        </AppShell.Section>
        <AppShell.Section pt="sm">
          <Account />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} ref={main} className={classes.main} inert={!isWide && isOpen}>
        <CatalogBar onSwitch={() => setSwitches((count) => count + 1)} />
        <ErrorBoundary key={`${location} ${switches}`}>{children}</ErrorBoundary>
        <Questions />
        {isSearching && (
          <Suspense>
            <Palette onClose={() => setSearching(false)} />
          </Suspense>
        )}
      </AppShell.Main>
    </AppShell>
  );
};
