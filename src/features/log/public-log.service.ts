import type { PublicReads } from '../../database/public-reads.ts';
import type { Reader } from '../../database/work.ts';
import type { Consistency, Inclusion, SignedHead } from '../../engine/fairness/log.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { consistencyOf, findHead, inclusionOf, type ListedLeaf, listLeaves } from './log.service.ts';

/** The log of a team, for anyone. */
export interface PublicLog {
  head(teamId: string): Promise<SignedHead>;
  consistency(teamId: string, query: { from: number; to?: number | undefined }): Promise<Consistency>;
  inclusion(teamId: string, query: { leaf: string; size?: number | undefined }): Promise<Inclusion>;
  leaves(teamId: string, query: { from: number; limit: number }): Promise<{ size: number; leaves: ListedLeaf[] }>;
}

const headOf = async (reader: Reader): Promise<SignedHead> => {
  const head = await findHead(reader);
  if (head === undefined) throw notFound();
  return head;
};

const beyond = (member: string, size: number) =>
  invalid({ path: `/query/${member}`, message: `is beyond the log, which has ${size} leaves` });

/** The size that was asked for, which must be one that the log had. */
const sizeOf = async (reader: Reader, member: string, asked: number | undefined): Promise<number> => {
  const { size } = (await headOf(reader)).head;
  if (asked !== undefined && asked > size) throw beyond(member, size);
  return asked ?? size;
};

export const createPublicLog = (reads: PublicReads): PublicLog => ({
  head: (teamId) => reads.find(teamId, 'log', headOf),
  consistency: (teamId, { from, to: asked }) =>
    reads.find(teamId, `log ${from} ${asked}`, async (reader) => {
      const to = await sizeOf(reader, 'to', asked);
      if (from > to) throw invalid({ path: '/query/from', message: `must not be above ${to}` });
      return consistencyOf(reader, from, to);
    }),
  inclusion: (teamId, { leaf, size: asked }) =>
    reads.find(teamId, `log ${leaf} ${asked}`, async (reader) => {
      const found = await inclusionOf(reader, leaf, await sizeOf(reader, 'size', asked));
      if (found === undefined) throw notFound();
      return found;
    }),
  leaves: (teamId, { from, limit }) =>
    reads.find(teamId, `log leaves ${from} ${limit}`, async (reader) => {
      const { size } = (await headOf(reader)).head;
      if (from > size) throw beyond('from', size);
      return { size, leaves: await listLeaves(reader, from, Math.min(size, from + limit)) };
    }),
});
