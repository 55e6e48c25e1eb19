import type { Read } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { newId } from '../../shared/ids.ts';
import { type SubjectDeps, snapshotFor } from './roll-subjects.service.ts';
import type { TestRollsRequest } from './test-rolls.contract.ts';

/** Rolls as a new player, and returns what came of it as JSON. */
export const rollForTest = async (
  read: Read,
  { teamId }: Context,
  { count = 1, depth, seed = newId(), ...subject }: TestRollsRequest,
  deps: SubjectDeps,
  signal: AbortSignal,
): Promise<string> => {
  const snapshot = await snapshotFor(read, teamId, subject, { depth, rolls: count }, deps, signal);
  const input = async () => ({ ...(await snapshot()), count, depth: depth ?? 0, seed });
  const rolls = await deps.compute.run(teamId, 'testRolls', input, signal);
  return `{"seed":${JSON.stringify(seed)},"rolls":${rolls}}`;
};
