import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface NetworkProxy {
  readonly port: number;
  /** Replaces a text of what clients send, so that a server understands something else; undefined: nothing. */
  garble(text: string | undefined): void;
  /** Breaks all connections off. */
  cut(): void;
  /** Passes nothing on from now on, in either direction, and closes nothing: a network that went silent. */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

/** Stands between a client and a server on this machine, and does what networks do. */
export const startProxy = async (target: { host: string; port: number }): Promise<NetworkProxy> => {
  const sockets = new Set<Socket>();
  let garbled: string | undefined;
  let isSilent = false;

  const transform = (chunk: Buffer): Buffer => {
    if (garbled === undefined) return chunk;
    const at = chunk.indexOf(garbled);
    if (at >= 0) chunk.write('x', at);
    return chunk;
  };

  const server = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to, pass] of [
      [client, upstream, transform],
      [upstream, client, (chunk: Buffer) => chunk],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (!isSilent) to.write(pass(chunk));
      });
      from.on('end', () => {
        if (!isSilent) to.end();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        if (!isSilent) to.destroy();
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
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
};
