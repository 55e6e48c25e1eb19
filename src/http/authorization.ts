import { timingSafeEqual } from 'node:crypto';
import type { Role } from '../shared/context.ts';
import { digestOf } from '../shared/digest.ts';
import { type Issue, ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { createFailedAttempts } from './failed-attempts.ts';

/** The authenticated caller. */
export interface Caller {
  readonly teamId: string;
  readonly role: Role;
  readonly secretId: string;
  readonly secretName: string;
}

interface StoredSecret {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly digest: string;
}

/** Finds the secrets of a team; none if there is no such team. */
type FindSecrets = (teamId: string) => Promise<readonly StoredSecret[]>;

/** Where a request came from. */
interface Origin {
  readonly ip: string;
}

export interface Authorizer {
  /**
   * Returns the caller that an Authorization header identifies, or undefined if the credentials are wrong;
   * synchronously if the header was verified recently, as most are. Rejects if too many wrong ones came from the same
   * address.
   */
  identify(header: string | undefined, from: Origin): Caller | undefined | Promise<Caller | undefined>;
  /** Forgets headers with this secret at once, on this node. */
  forget(teamId: string, secretId: string): void;
}

interface Verified extends Caller {
  readonly digest: string;
  /** When the lookup that confirmed the secret was started. */
  confirmedAtMs: number;
  /** A pending lookup that confirms the secret again. */
  checking: Promise<Caller | undefined> | undefined;
}

interface Credentials {
  readonly teamId: string;
  readonly secret: string;
}

const parseBasic = (header: string): Credentials | undefined => {
  if (header.length > LIMITS.authorizationLength) return undefined;
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || text.includes('\0')) return undefined;
  return { teamId: text.slice(0, colon), secret: text.slice(colon + 1) };
};

/** What is wrong with a header that identifies nobody; it must not tell whether there is such a team. */
export const explainHeader = (header: string | undefined): Issue => ({
  path: '/headers/authorization',
  message:
    header === undefined
      ? 'is missing: it must be Basic, with a team id as the username and a secret of the team as the password'
      : parseBasic(header) === undefined
        ? 'must be Basic, followed by the team id, a colon and a secret of the team, together in base64'
        : 'has a team id or a secret that is wrong, or a secret that was revoked',
});

/** Compares with every secret of the team, without stopping at a match, so that timing reveals nothing. */
const match = (secrets: readonly StoredSecret[], digest: string): StoredSecret | undefined => {
  const given = Buffer.from(digest, 'hex');
  let found: StoredSecret | undefined;
  for (const secret of secrets) {
    if (timingSafeEqual(Buffer.from(secret.digest, 'hex'), given)) found = secret;
  }
  return found;
};

/** The canonical form of a header, under which it is cached: there are countless equivalent ones. */
const canonicalHeader = ({ teamId, secret }: Credentials): string =>
  `Basic ${Buffer.from(`${teamId}:${secret}`).toString('base64')}`;

/** Verifies Basic headers, and caches verified ones, so that later requests need no digest. */
export const createAuthorizer = (findSecrets: FindSecrets, monotonicMs: () => number): Authorizer => {
  const verified = new Map<string, Verified>();
  /** Headers being verified for the first time: requests with the same header share one lookup. */
  const verifying = new Map<string, Promise<Caller | undefined>>();
  const failedAttempts = createFailedAttempts();

  /** Incremented by `forget`: a lookup that started before may be out of date. */
  let generation = 0;

  const verify = async (header: string, credentials: Credentials): Promise<Caller | undefined> => {
    const digest = digestOf(credentials.secret);
    for (;;) {
      const confirmedAtMs = monotonicMs();
      const asked = generation;
      const secret = match(await findSecrets(credentials.teamId), digest);
      if (secret === undefined) return undefined;
      // This secret may have been revoked during the lookup, and must not be cached then.
      if (asked !== generation) continue;
      const entry: Verified = {
        teamId: credentials.teamId,
        role: secret.role,
        secretId: secret.id,
        secretName: secret.name,
        digest,
        confirmedAtMs,
        checking: undefined,
      };
      if (verified.size >= LIMITS.verifiedHeaders) verified.delete(verified.keys().next().value as string);
      verified.set(header, entry);
      return entry;
    }
  };

  const recheck = async (header: string, known: Verified): Promise<Caller | undefined> => {
    for (;;) {
      const askedAtMs = monotonicMs();
      const asked = generation;
      const secrets = await findSecrets(known.teamId);
      const isValid = secrets.some(({ id, digest }) => id === known.secretId && digest === known.digest);
      if (isValid && asked !== generation) continue;
      known.confirmedAtMs = askedAtMs;
      if (isValid) return known;
      if (verified.get(header) === known) verified.delete(header);
      return undefined;
    }
  };

  /** Handles a header that was verified before. */
  const confirm = (header: string, known: Verified): Caller | Promise<Caller | undefined> => {
    const ageMs = monotonicMs() - known.confirmedAtMs;
    if (ageMs < LIMITS.verifiedHeaderMs) return known;
    // For as long again, requests use the old result while a new lookup is pending.
    if (known.checking !== undefined && ageMs < 2 * LIMITS.verifiedHeaderMs) return known;
    known.checking ??= recheck(header, known).finally(() => {
      known.checking = undefined;
    });
    return known.checking;
  };

  /** Handles a header that was never verified: it may be a guess. */
  const attempt = (header: string, credentials: Credentials, { ip }: Origin): Promise<Caller | undefined> => {
    const pending = verifying.get(header);
    if (pending !== undefined) return pending;
    const undoFailure = failedAttempts.begin(ip, credentials.teamId, monotonicMs());
    if (undoFailure === undefined) return Promise.reject(new ServiceError('TOO_MANY_REQUESTS'));
    const verification = verify(header, credentials)
      .then(
        (caller) => {
          if (caller === undefined) return undefined;
          undoFailure();
          failedAttempts.succeeded(caller.teamId);
          return caller;
        },
        (error: unknown) => {
          undoFailure();
          throw error;
        },
      )
      .finally(() => verifying.delete(header));
    verifying.set(header, verification);
    return verification;
  };

  return {
    identify: (given, from) => {
      if (given === undefined) return undefined;
      const known = verified.get(given);
      if (known !== undefined) return confirm(given, known);
      const credentials = parseBasic(given);
      if (credentials === undefined) return undefined;
      const header = canonicalHeader(credentials);
      const cached = verified.get(header);
      return cached === undefined ? attempt(header, credentials, from) : confirm(header, cached);
    },
    forget: (teamId, secretId) => {
      generation += 1;
      for (const [header, known] of verified) {
        if (known.teamId === teamId && known.secretId === secretId) verified.delete(header);
      }
    },
  };
};
