import { randomBytes } from 'node:crypto';
import type { Read, Reader, Transaction } from '../../database/work.ts';
import type { Context, Role } from '../../shared/context.ts';
import { digestOf } from '../../shared/digest.ts';
import { conflict, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { CreatedSecret, NewSecret, Secret, Team, TeamChange } from './teams.contract.ts';
import * as store from './teams.store.ts';

const newSecret = (): string => randomBytes(32).toString('base64url');

/** Creates a team with its first secret, which has the role `admin`. */
export const createTeam = async (
  tx: Transaction,
  nowMs: number,
  { id = newId(), name, secret = newSecret() }: { id?: string; name: string; secret?: string },
): Promise<{ teamId: string; secret: string }> => {
  await store.insertTeam(tx, { id, name, versionId: newId() }, nowMs);
  await store.insertSecret(
    tx,
    { teamId: id, id: newId(), name: 'first', role: 'admin', digest: digestOf(secret) },
    nowMs,
  );
  return { teamId: id, secret };
};

/**
 * Creates the first team of a new database, on whichever node starts first. Returns undefined if that already happened.
 */
export const createFirstTeam = async (
  tx: Transaction,
  nowMs: number,
  given: { id?: string; secret?: string },
): Promise<{ teamId: string; secret: string } | undefined> => {
  if (!(await store.reachMilestone(tx, 'first team', nowMs))) return undefined;
  if ((await store.selectTeams(tx)).length > 0) return undefined;
  return createTeam(tx, nowMs, { ...given, name: given.id ?? 'First team' });
};

export const listTeams = async (reader: Reader) =>
  (await store.selectTeams(reader)).map((row) => ({
    teamId: row.id,
    name: row.name,
    createdAt: isoTime(row.created_at),
  }));

export const doesTeamExist = async (reader: Reader): Promise<boolean> =>
  (await store.selectTeam(reader, reader.teamId)) !== undefined;

export const getTeam = async (reader: Reader, { teamId, role }: Context): Promise<Team> => {
  const row = await store.selectTeam(reader, teamId);
  if (row === undefined) throw notFound();
  return {
    id: row.id,
    name: row.name,
    role,
    verifiableRolls: row.verifiable_rolls === 1,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
};

export const updateTeam = async (tx: Transaction, context: Context, { verifiableRolls }: TeamChange): Promise<Team> => {
  if (verifiableRolls !== undefined)
    await store.updateTeam(tx, { verifiable_rolls: Number(verifiableRolls), updated_at: context.nowMs });
  return getTeam(tx, context);
};

export const createSecret = async (
  tx: Transaction,
  { teamId, nowMs }: Pick<Context, 'teamId' | 'nowMs'>,
  { name, role }: NewSecret,
): Promise<CreatedSecret> => {
  await store.holdTeam(tx, teamId);
  if ((await store.selectSecrets(tx, teamId)).length >= LIMITS.secretsPerTeam)
    throw conflict({
      path: '',
      message: `the team already has ${LIMITS.secretsPerTeam} secrets, which is the maximum`,
    });
  const id = newId();
  const secret = newSecret();
  await store.insertSecret(tx, { teamId, id, name, role, digest: digestOf(secret) }, nowMs);
  return { id, name, role, createdAt: isoTime(nowMs), secret };
};

export const listSecrets = async (reader: Reader, { teamId }: Pick<Context, 'teamId'>): Promise<Secret[]> =>
  (await store.selectSecrets(reader, teamId)).map(({ id, name, role, created_at }) => ({
    id,
    name,
    role,
    createdAt: isoTime(created_at),
  }));

export const revokeSecret = async (tx: Transaction, { teamId }: Pick<Context, 'teamId'>, id: string): Promise<void> => {
  await store.holdTeam(tx, teamId);
  const secrets = await store.selectSecrets(tx, teamId);
  const secret = secrets.find((candidate) => candidate.id === id);
  if (secret === undefined) throw notFound();
  const isAdmin = (candidate: { role: Role }) => candidate.role === 'admin';
  if (isAdmin(secret) && secrets.filter(isAdmin).length === 1)
    throw conflict({ path: '/path/id', message: 'is the last admin secret of the team' });
  await store.deleteSecret(tx, teamId, id);
};

export const teamExists = async (reader: Reader, teamId: string): Promise<boolean> =>
  (await store.selectTeam(reader, teamId)) !== undefined;

/** Reads what authorization needs. */
export const secretsOf = (read: Read) => (teamId: string) =>
  read(teamId, (reader) => store.selectSecrets(reader, teamId));
