import { timingSafeEqual } from 'node:crypto';
import type { Role } from '../context.ts';
import { digestOf } from '../digest.ts';
import { LIMITS } from '../limits.ts';

/** Who calls, as far as the secret tells. */
export interface Caller {
  readonly teamId: string;
  readonly role: Role;
}

interface StoredSecret {
  readonly id: string;
  readonly role: Role;
  readonly digest: string;
}

/** The secrets of a team; none where there is no such team. */
type FindSecrets = (teamId: string) => Promise<readonly StoredSecret[]>;

export interface Authorizer {
  /** The caller whom a header names, or undefined where it names none. */
  /** Answers at once where the header was verified lately, which is most of the time. */
  identify(header: string | undefined): Caller | undefined | Promise<Caller | undefined>;
  /** Forgets at once whoever came with this secret, on this node. */
  forget(teamId: string, secretId: string): void;
}

interface Verified extends Caller {
  readonly secretId: string;
  readonly digest: string;
  checkedAtMs: number;
}

const parseBasic = (header: string): { teamId: string; secret: string } | undefined => {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || text.includes('\0')) return undefined;
  return { teamId: text.slice(0, colon), secret: text.slice(colon + 1) };
};

/** Compares with every secret of the team, without stopping at a match, so that time tells nothing. */
const match = (secrets: readonly StoredSecret[], digest: string): StoredSecret | undefined => {
  const given = Buffer.from(digest, 'hex');
  let found: StoredSecret | undefined;
  for (const secret of secrets) {
    if (timingSafeEqual(Buffer.from(secret.digest, 'hex'), given)) found = secret;
  }
  return found;
};

/** Verifies Basic headers, and remembers those it verified, so that a caller's second request costs no digest. */
export const createAuthorizer = (findSecrets: FindSecrets, monotonicMs: () => number): Authorizer => {
  const verified = new Map<string, Verified>();

  /** How often something was forgotten: what was asked for before the last time may be out of date. */
  let forgettings = 0;

  const recheck = async (header: string, known: Verified, nowMs: number): Promise<Caller | undefined> => {
    // Those who come while the answer is on its way need not ask again; the old answer still holds for them.
    const previousMs = known.checkedAtMs;
    known.checkedAtMs = nowMs;
    const asked = forgettings;
    const secrets = await findSecrets(known.teamId).catch((error: unknown) => {
      known.checkedAtMs = previousMs;
      throw error;
    });
    if (asked !== forgettings) return verify(header, monotonicMs());
    if (secrets.some(({ id, digest }) => id === known.secretId && digest === known.digest)) return known;
    verified.delete(header);
    return undefined;
  };

  const verify = async (header: string, askedAtMs: number): Promise<Caller | undefined> => {
    const credentials = parseBasic(header);
    if (credentials === undefined) return undefined;
    const digest = digestOf(credentials.secret);
    const asked = forgettings;
    const secret = match(await findSecrets(credentials.teamId), digest);
    if (secret === undefined) return undefined;
    // It may be this very secret that was revoked while we asked, and it must not be remembered then.
    if (asked !== forgettings) return verify(header, monotonicMs());
    const entry: Verified = {
      teamId: credentials.teamId,
      role: secret.role,
      secretId: secret.id,
      digest,
      checkedAtMs: askedAtMs,
    };
    if (verified.size >= LIMITS.verifiedHeaders) verified.delete(verified.keys().next().value as string);
    verified.set(header, entry);
    return entry;
  };

  return {
    identify: (header) => {
      if (header === undefined) return undefined;
      const nowMs = monotonicMs();
      const known = verified.get(header);
      if (known === undefined) return verify(header, nowMs);
      if (nowMs - known.checkedAtMs < LIMITS.verifiedHeaderMs) return known;
      return recheck(header, known, nowMs);
    },
    forget: (teamId, secretId) => {
      forgettings += 1;
      for (const [header, known] of verified) {
        if (known.teamId === teamId && known.secretId === secretId) verified.delete(header);
      }
    },
  };
};
