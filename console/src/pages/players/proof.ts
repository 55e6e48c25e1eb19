import { ItemwrightError } from '@itemwright/client';
import type { Api } from '../../interface/client.ts';

export interface ProofFile {
  readonly name: string;
  readonly text: string;
}

interface Part {
  readonly epoch: number;
  readonly scope?: string;
  readonly from?: number;
}

/** As the service sent it: hashes are those of the text. */
const readPart = async (api: Api, userId: string, query: Part): Promise<{ text: string; next: number | undefined }> => {
  const { text, next } = await api.users.proof(userId, query).withResponse();
  return { text, next: next?.from === undefined ? undefined : Number(next.from) };
};

/** The chains of an epoch: those of the current one, or as the rotation that ended it names them. */
const scopesOf = async (api: Api, userId: string, epoch: number): Promise<string[]> => {
  const state = await api.fairness.get(userId);
  if (state.epoch === epoch) return state.chains.map(({ scope }) => scope);
  const { rows } = await api.users.receipts(userId, { epoch: epoch + 1, limit: 1 }).page();
  const { chains = [] } = (rows[0]?.receipt ?? {}) as { chains?: [scope: string][] };
  return chains.map(([scope]) => scope);
};

const isTooLong = (error: unknown): boolean =>
  error instanceof ItemwrightError && error.issues.some(({ path }) => path === '/query/scope');

/** A name that any file system accepts. */
const fileName = (...parts: (string | number)[]): string =>
  `${['proof', ...parts].join('-').replaceAll(/[^\w.-]+/g, '_')}.json`;

/** The proof of an epoch: one file, or if that would be too long, the files of each chain. */
export async function* readProof(api: Api, userId: string, epoch: number): AsyncGenerator<ProofFile> {
  try {
    const { text } = await readPart(api, userId, { epoch });
    yield { name: fileName(userId, 'epoch', epoch), text };
    return;
  } catch (error) {
    if (!isTooLong(error)) throw error;
  }
  for (const scope of await scopesOf(api, userId, epoch)) {
    let from: number | undefined = 0;
    for (let part = 1; from !== undefined; part += 1) {
      const { text, next }: { text: string; next: number | undefined } = await readPart(api, userId, {
        epoch,
        scope,
        from,
      });
      yield { name: fileName(userId, 'epoch', epoch, scope, 'part', part), text };
      from = next;
    }
  }
}
