import { Center, Loader } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Suspense } from 'react';
import { Route, Router, Switch } from 'wouter';
import { PATH_PREFIX } from './api/path-prefix.ts';
import { useTeam } from './api/requests.ts';
import { DraftGate } from './catalog/draft-gate.tsx';
import { Empty, Failure } from './parts/loaded.tsx';
import { Page } from './parts/page.tsx';
import { LinkButton } from './parts/text.tsx';
import { leaveSafely } from './parts/unsaved.ts';
import { useSession } from './session/session.tsx';
import { SignIn } from './session/sign-in.tsx';
import { PAGES } from './shell/pages.tsx';
import { Shell } from './shell/shell.tsx';

const Waiting = () => (
  <Center mih={240}>
    <Loader aria-label="Loading" />
  </Center>
);

const NotFound = () => (
  <Page title="Not found">
    <Empty title="Page not found" icon={IconMapOff} action={<LinkButton href="/">Go to the overview</LinkButton>}>
      Check the address; what it showed may have been deleted.
    </Empty>
  </Page>
);

const SignedIn = () => {
  const team = useTeam();
  if (team.isPending) return <Waiting />;
  if (team.isError)
    return (
      <Center mih="100dvh" p="md">
        <Failure error={team.error} retry={team.refetch} />
      </Center>
    );
  return (
    <Shell>
      <DraftGate>
        <Suspense fallback={<Waiting />}>
          <Switch>
            {PAGES.map(({ path, Page }) => (
              <Route key={path} path={path}>
                <Page />
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </DraftGate>
    </Shell>
  );
};

export const App = () => {
  const { credentials } = useSession();
  return (
    <Router
      base={`${PATH_PREFIX}/console`}
      aroundNav={(navigate, to, options) => leaveSafely(() => navigate(to, options))}
    >
      {credentials === undefined ? <SignIn /> : <SignedIn />}
    </Router>
  );
};
