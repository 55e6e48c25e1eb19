import type { Api } from '../../api/client.ts';

export interface ProofFile {
  readonly name: string;
  readonly text: string;
}

/** A name that any file system accepts. */
const fileName = (...parts: (string | number)[]): string =>
  `${['proof', ...parts].join('-').replaceAll(/[^\w.-]+/g, '_')}.json`;

/** The proof of an epoch, in one file or several. As the service sent it: hashes are those of the text. */
export async function* readProof(api: Api, userId: string, epoch: number): AsyncGenerator<ProofFile> {
  let from = 0;
  for (let part = 1; ; part += 1) {
    const { text, next } = await api.users.proof(userId, { epoch, from }).withResponse();
    const name = part === 1 && next?.from === undefined ? [] : ['part', part];
    yield { name: fileName(userId, 'epoch', epoch, ...name), text };
    if (next?.from === undefined) return;
    from = Number(next.from);
  }
}
