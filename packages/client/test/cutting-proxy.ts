import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Draws } from '../../../src/engine/random.ts';

/** How a connection ends: closed in order, reset, or never heard of again. */
type Manner = 'FIN' | 'RST' | 'silence';
/** Whether the bytes until then are those of what the client sends, or of what the server does. */
type Side = 'request' | 'response';

interface Fate {
  readonly side: Side;
  readonly manner: Manner;
  /** It ends before this many bytes, or as soon as there is one: a message is 300 to 4,000 bytes long. */
  readonly span: number;
}

const SIDES: readonly Side[] = ['request', 'response'];

/** What becomes of connections, in turn. Silence costs a timeout, so it is rarer. */
const FATES: readonly Fate[] = [
  ...[0, 1500, 10_000, 10_000].flatMap((span) =>
    SIDES.flatMap((side) => (['FIN', 'RST'] as const).map((manner) => ({ side, manner, span }))),
  ),
  ...SIDES.map((side) => ({ side, manner: 'silence' as const, span: 1500 })),
];

export interface CuttingProxy {
  readonly url: string;
  /** How many connections ended, by side, manner and what part of a message they ended in. */
  readonly cuts: Readonly<Record<string, number>>;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

const end = (socket: Socket, manner: Manner): void => {
  if (manner === 'RST') socket.resetAndDestroy();
  else socket.end(() => socket.destroySoon());
};

/** Where in a message the last byte of a text is. */
const placeIn = (sent: string, side: Side): string => {
  if (sent === '') return side === 'request' ? 'before it' : 'after the request, before it';
  const start = Math.max(sent.lastIndexOf('HTTP/1.1 '), sent.lastIndexOf(' HTTP/1.1'));
  return start >= 0 && sent.indexOf('\r\n\r\n', start) < 0 ? 'in its headers' : 'in its body or after';
};

/**
 * A proxy in front of a service whose connections all end before long: after a random number of bytes of requests or
 * responses, in a random manner. Now and then it does not even accept connections.
 */
export const startCuttingProxy = async (address: string, draws: Draws): Promise<CuttingProxy> => {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  const cuts: Record<string, number> = {};
  let connections = 0;

  const serve = (client: Socket): void => {
    const { side, manner, span } = FATES[connections % FATES.length] as Fate;
    let left = Math.floor(draws() * span);
    connections += 1;
    const upstream = connect({ host: hostname, port: Number(port) });
    let passed = '';
    let isOver = false;

    const cut = (): void => {
      isOver = true;
      const what = `${side}, ${placeIn(passed, side)}: ${manner}`;
      cuts[what] = (cuts[what] ?? 0) + 1;
      if (manner === 'silence') return;
      end(client, manner);
      end(upstream, draws() < 0.5 ? 'FIN' : 'RST');
    };

    for (const [from, to, own] of [
      [client, upstream, 'request'],
      [upstream, client, 'response'],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (isOver) return;
        const isLast = own === side && chunk.length > left;
        const part = isLast ? chunk.subarray(0, left) : chunk;
        if (own === side) {
          left -= part.length;
          passed = (passed + part.toString('latin1')).slice(-4096);
        }
        if (!isLast) to.write(part);
        else if (part.length > 0) to.write(part, cut);
        else cut();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  };

  const server = createServer(serve);
  const listen = async (at: number): Promise<void> => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port: own } = server.address() as AddressInfo;
  // Connections that are open stay so while no new ones are accepted.
  let isClosed = false;
  const pauses = setInterval(() => {
    server.close();
    cuts['not accepted'] = (cuts['not accepted'] ?? 0) + 1;
    setTimeout(() => void (isClosed || listen(own)), 20);
  }, 1000);
  return {
    url: `http://127.0.0.1:${own}`,
    cuts,
    connections: () => connections,
    close: async () => {
      isClosed = true;
      clearInterval(pauses);
      for (const socket of sockets) socket.destroy();
      if (server.listening) server.close();
    },
  };
};
