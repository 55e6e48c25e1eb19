import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type Loss = 'silently' | 'by cutting' | 'by garbling';

export interface NetworkProxy {
  readonly port: number;
  /** Replaces a text in what clients send, so that the server sees something else; undefined replaces nothing. */
  garble(text: string | undefined): void;
  /** Breaks all connections. */
  cut(): void;
  /**
   * From now on forwards nothing in either direction, and closes nothing: a network that went silent. Once it is back, what
   * was sent is lost, but each side learns that the other has left, as TCP tells until it is heard.
   */
  silence(isSilent: boolean): void;
  /** The same for all current connections, permanently; later ones work. */
  mute(): void;
  /** Withholds the server's response to a text: the client gets nothing, a broken connection, or garbage. */
  loseAnswer(text: string | undefined, how?: Loss): void;
  /** What each client sent first. */
  readonly openings: readonly Buffer[];
  close(): Promise<void>;
}

/** A proxy between a client and a server on this machine, which simulates network faults. */
export const startProxy = async (target: { host: string; port: number }): Promise<NetworkProxy> => {
  const sockets = new Set<Socket>();
  let garbled: string | undefined;
  const openings: Buffer[] = [];
  const muted = new WeakSet<Socket>();
  const left = new Set<Socket>();
  let isSilent = false;
  let lost: { text: string; how: Loss } | undefined;

  const transform = (chunk: Buffer): Buffer => {
    if (garbled === undefined) return chunk;
    const at = chunk.indexOf(garbled);
    if (at >= 0) chunk.write('x', at);
    return chunk;
  };

  const server = createServer((client) => {
    const upstream = connect(target);
    client.once('data', (chunk: Buffer) => openings.push(chunk));
    client.on('data', (chunk: Buffer) => {
      if (lost === undefined || !chunk.includes(lost.text)) return;
      const { how } = lost;
      // By the time the server responds it has done what it was asked.
      upstream.prependOnceListener('data', (response: Buffer) => {
        if (how === 'by garbling') {
          response.write('?');
          return;
        }
        muted.add(upstream);
        if (how === 'by cutting') client.destroy();
      });
    });
    for (const [from, to, pass] of [
      [client, upstream, transform],
      [upstream, client, (chunk: Buffer) => chunk],
    ] as const) {
      sockets.add(from);
      const isHeard = () => !isSilent && !muted.has(from);
      from.on('data', (chunk: Buffer) => {
        if (isHeard()) to.write(pass(chunk));
      });
      from.on('end', () => {
        if (isHeard()) to.end();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        left.delete(from);
        if (isHeard()) to.destroy();
        else if (isSilent && !to.destroyed) left.add(to);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    garble: (text) => {
      garbled = text;
    },
    cut,
    silence: (silent) => {
      isSilent = silent;
      if (!isSilent) for (const socket of left) socket.destroy();
    },
    mute: () => {
      for (const socket of sockets) muted.add(socket);
    },
    loseAnswer: (text, how = 'silently') => {
      lost = text === undefined ? undefined : { text, how };
    },
    openings,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
};
