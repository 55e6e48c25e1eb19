import { type Client, ConnectionError, createClient, ItemwrightError } from '../../../packages/client/src/index.ts';
import { ERRORS, type ErrorCode, type Issue } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { CommandError } from '../shared.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Where the service is, and who calls it. */
export interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly teamId: string;
  readonly secret: string;
}

const readUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CommandError('ITEMWRIGHT_URL must be an address such as https://items.example or http://127.0.0.1:8080');
  if (url.username !== '' || url.password !== '')
    throw new CommandError('ITEMWRIGHT_URL must not contain a secret: set ITEMWRIGHT_CREDENTIALS to TEAM_ID:SECRET');
  return url.href.replace(/\/+$/, '');
};

/** Reads the connection from the environment. An empty variable counts as unset. */
export const readConnection = (environment: Readonly<Record<string, string | undefined>>): Connection => {
  const credentials = environment.ITEMWRIGHT_CREDENTIALS || undefined;
  if (credentials === undefined) throw new CommandError('ITEMWRIGHT_CREDENTIALS is missing: set it to TEAM_ID:SECRET');
  const [, teamId, secret] = /^([^:]+):(.+)$/s.exec(credentials) ?? [];
  if (teamId === undefined || secret === undefined)
    throw new CommandError('ITEMWRIGHT_CREDENTIALS must be TEAM_ID:SECRET');
  return { url: readUrl(environment.ITEMWRIGHT_URL || DEFAULT_URL), teamId, secret };
};

export const connect = (connection: Connection): Client =>
  createClient({
    ...connection,
    retries: LIMITS.callRetries,
    headers: { 'x-itemwright-source': 'cli' },
  });

/** A call that failed, as told at the command line. */
export class CallError extends CommandError {
  readonly status: number;
  readonly issues: readonly Issue[];
  /** Whether the call may have taken effect all the same. */
  readonly maybeDone: boolean;

  constructor(message: string, { status, issues, maybeDone }: ItemwrightError) {
    super(message);
    this.status = status;
    this.issues = issues;
    this.maybeDone = maybeDone;
  }
}

/** What an error means at the command line, if the response itself says too little. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'the service does not accept ITEMWRIGHT_CREDENTIALS',
  FORBIDDEN: 'the secret in ITEMWRIGHT_CREDENTIALS may not do this: its role must be design, write or admin',
};

const isCode = (code: string | undefined): code is ErrorCode => code !== undefined && Object.hasOwn(ERRORS, code);

/** Why there was no response: the first cause knows best. */
const reasonOf = (error: Error): string => {
  const { cause } = error as { cause?: Error & { code?: string } };
  return cause === undefined ? error.message : reasonOf(cause) || cause.code || error.message;
};

const foreign = (url: string, status: number): string =>
  `${url} returned ${status}, but not from Itemwright: check ITEMWRIGHT_URL`;

/** The error of a call that something else has answered as if it were a service. */
export const notItemwright = ({ url }: Connection): CommandError => new CommandError(foreign(url, 200));

const messageOf = (error: ItemwrightError, url: string): string => {
  const { status, code, issues } = error;
  if (error instanceof ConnectionError) return `no response from ${url} (ITEMWRIGHT_URL): ${reasonOf(error)}`;
  if (status >= 300 && status < 400) return `${url} redirects: set ITEMWRIGHT_URL to the address that it redirects to`;
  if (!isCode(code)) return foreign(url, status);
  if (status === 404 && issues.length === 0)
    return `${url} does not have this operation: is ITEMWRIGHT_URL right, and the service of this release?`;
  const [first, ...others] = issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const message = [HINTS[code] ?? ERRORS[code].message, ...(first === undefined ? [] : [first])].join(': ');
  return [message, ...others.map((line) => `  ${line}`)].join('\n');
};

/** Explains the failure of a call to somebody at the command line. */
export const explain = (error: unknown, { url }: Connection): unknown =>
  error instanceof ItemwrightError ? new CallError(messageOf(error, url), error) : error;
