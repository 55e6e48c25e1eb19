/** What a proof says about the public log. */
import type { Reader } from '../../database/work.ts';
import { type Consistency, type Inclusion, leafOf, type SignedHead } from '../../engine/fairness/log.ts';
import { invalid } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { consistencyOf, findHead, inclusionOf } from '../log/log.service.ts';

/** The leaves that a proof needs, each once. */
export interface LeafList {
  add(rotation: string, manifest: string): void;
  hashes(): readonly string[];
}

export const createLeafList = (): LeafList => {
  const rotations = new Set<string>();
  const manifests = new Set<string>();
  return {
    add: (rotation, manifest) => {
      rotations.add(rotation);
      manifests.add(manifest);
    },
    hashes: () => [
      ...Array.from(rotations, (subject) => leafOf({ kind: 'rotation', subject })),
      ...Array.from(manifests, (subject) => leafOf({ kind: 'manifest', subject })),
    ],
  };
};

/** The log as it was when a proof was begun. */
export interface LogView {
  readonly signed: SignedHead | undefined;
  readonly consistency: Consistency | undefined;
}

/** The newest head, and that it is consistent with one that the player kept. */
export const openLog = async (reader: Reader, from: number | undefined): Promise<LogView> => {
  const signed = await findHead(reader);
  const size = signed?.head.size ?? 0;
  if (from !== undefined && from > size)
    throw invalid({ path: '/query/logFrom', message: `is beyond the log, which has ${size} leaves` });
  return { signed, consistency: from === undefined ? undefined : await consistencyOf(reader, from, size) };
};

type ReadBy = <T>(query: (reader: Reader) => Promise<T>) => Promise<T>;

/** JSON in parts. Leaves that came after the head are pending. */
export async function* logParts(
  read: ReadBy,
  { signed, consistency }: LogView,
  leaves: readonly string[],
): AsyncGenerator<string> {
  const { head, signature, publicKey } = signed ?? { head: null, signature: null, publicKey: null };
  yield `${JSON.stringify({ head, signature, publicKey, consistency }).slice(0, -1)},"inclusions":[`;
  const pending: string[] = [];
  let isFirst = true;
  for (let start = 0; start < leaves.length; start += LIMITS.inclusionsPerRead) {
    const some = leaves.slice(start, start + LIMITS.inclusionsPerRead);
    const found = await read((reader) => Promise.all(some.map((leaf) => inclusionOf(reader, leaf, head?.size ?? 0))));
    pending.push(...some.filter((_, index) => found[index] === undefined));
    const shown = found.filter((one): one is Inclusion => one !== undefined).map((one) => JSON.stringify(one));
    if (shown.length === 0) continue;
    yield `${isFirst ? '' : ','}${shown.join()}`;
    isFirst = false;
  }
  yield `],"pending":${JSON.stringify(pending)}}`;
}
