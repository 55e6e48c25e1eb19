import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { type Api, type Credentials, createApi, hasStatus } from '../api/client.ts';

/** Kept for this tab only: closing it forgets the secret. */
const STORED = 'itemwright.session';

interface Session {
  readonly credentials: Credentials | undefined;
  /** Why the last session ended, unless the user signed out. */
  readonly endedBecause: string | undefined;
  readonly signIn: (credentials: Credentials) => void;
  readonly signOut: (because?: string) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);
const ApiContext = createContext<Api | undefined>(undefined);

const stored = (): Credentials | undefined => {
  try {
    const { teamId, secret } = JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
    return typeof teamId === 'string' && typeof secret === 'string' ? { teamId, secret } : undefined;
  } catch {
    return undefined;
  }
};

const createQueries = (onUnauthorized: () => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError: (error) => hasStatus(error, 401) && onUnauthorized() }),
    mutationCache: new MutationCache({ onError: (error) => hasStatus(error, 401) && onUnauthorized() }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The client has done so where it may help.
        retry: false,
      },
    },
  });

export const SessionProvider = ({ children }: { children: ReactNode }) => {
  const [credentials, setCredentials] = useState(stored);
  const [endedBecause, setEndedBecause] = useState<string>();

  const signIn = useCallback((given: Credentials) => {
    sessionStorage.setItem(STORED, JSON.stringify(given));
    setEndedBecause(undefined);
    setCredentials(given);
  }, []);
  const signOut = useCallback((because?: string) => {
    sessionStorage.removeItem(STORED);
    setEndedBecause(because);
    setCredentials(undefined);
  }, []);
  const session = useMemo(
    () => ({ credentials, endedBecause, signIn, signOut }),
    [credentials, endedBecause, signIn, signOut],
  );
  // Each session has a query cache of its own, so that nothing is shown to the next one.
  const parts = useMemo(
    () =>
      credentials && {
        api: createApi(credentials),
        queries: createQueries(() => signOut('This secret is no longer valid. Sign in with another one.')),
      },
    [credentials, signOut],
  );
  return (
    <SessionContext value={session}>
      {parts === undefined ? (
        children
      ) : (
        <ApiContext value={parts.api}>
          <QueryClientProvider client={parts.queries}>{children}</QueryClientProvider>
        </ApiContext>
      )}
    </SessionContext>
  );
};

export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('must be used within the session provider');
  return session;
};

/** The API client of the current session. */
export const useApi = (): Api => {
  const api = useContext(ApiContext);
  if (api === undefined) throw new Error('requires a session');
  return api;
};
