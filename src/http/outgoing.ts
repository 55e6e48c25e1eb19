import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LIMITS } from '../shared/limits.ts';
import { startInTurn } from '../shared/turns.ts';
import type { Exchange } from './exchanges.ts';

/** Bytes or a text, which is encoded as it is sent; in one piece or in several. */
export type Body = Piece | readonly Piece[];
type Piece = string | Uint8Array;

const isOnePiece = (body: Body): body is Piece => typeof body === 'string' || body instanceof Uint8Array;

const piecesOf = (body: Body): readonly Piece[] => (isOnePiece(body) ? [body] : body);

const lengthOf = (body: Body): number => piecesOf(body).reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);

export const textOf = (body: Body): string =>
  typeof body === 'string' ? body : Buffer.concat(piecesOf(body).map((piece) => Buffer.from(piece))).toString();

/** Parts of a text, none of which ends within a character. */
function* partsOfText(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + LIMITS.partLength - 1);
    const end = start + LIMITS.partLength - Number(last >= 0xd800 && last < 0xdc00);
    yield text.slice(start, end);
    start = end;
  }
}

function* partsOf(body: Body): Generator<Piece> {
  for (const piece of piecesOf(body)) {
    if (typeof piece === 'string') yield* partsOfText(piece);
    else
      for (let start = 0; start < piece.length; start += LIMITS.partLength)
        yield piece.subarray(start, start + LIMITS.partLength);
  }
}

/**
 * Bodies on their way to clients. Each is sent in parts, as fast as its client reads, and stays in memory until the last
 * part is gone; one that many clients receive is there only once. All of them together have a limit: beyond it, whoever
 * keeps most of it waiting is cut off.
 */
export interface Outgoing {
  /** Sends the head of a response and this body; `release` when the response is closed. */
  send(exchange: Exchange, body: Body): void;
  release(exchange: Exchange): void;
  /** Bytes that wait now, and the number of responses that were cut off. */
  readonly waitingBytes: number;
  readonly cutOff: number;
}

/** Writes in this turn, which is thereby known to take longer: Node would otherwise do it when the caller is done. */
const writeNow = (raw: ServerResponse, part: string | Uint8Array): boolean => {
  const { socket } = raw;
  socket?.cork();
  const hasRoom = raw.write(part);
  socket?.uncork();
  return hasRoom;
};

/** Teams hold bodies, and all visitors together. */
const holderOf = ({ request }: Exchange): string => request.context?.teamId ?? '';

interface Holder {
  bytes: number;
  readonly exchanges: Exchange[];
}

export const createOutgoing = (open: () => Iterable<Exchange>, monotonicMs: () => number): Outgoing => {
  /** How many responses have each body. */
  const users = new Map<object, number>();
  let waitingBytes = 0;
  let cutOff = 0;

  const release = (exchange: Exchange): void => {
    const { body } = exchange;
    if (body === undefined) return;
    exchange.body = undefined;
    const left = (users.get(body.of) as number) - 1;
    if (left > 0) users.set(body.of, left);
    else {
      users.delete(body.of);
      waitingBytes -= body.length;
    }
  };

  const bytesOf = ({ body }: Exchange): number =>
    body === undefined ? 0 : body.length / (users.get(body.of) as number);

  const listHolders = (): Holder[] => {
    const holders = new Map<string, Holder>();
    for (const exchange of open()) {
      if (exchange.body === undefined) continue;
      const name = holderOf(exchange);
      const holder = holders.get(name) ?? { bytes: 0, exchanges: [] };
      holder.bytes += bytesOf(exchange);
      holder.exchanges.push(exchange);
      holders.set(name, holder);
    }
    return [...holders.values()];
  };

  /**
   * Cuts off responses of whoever holds most: those first that have kept most waiting for longest. Makes some more room
   * than is needed, so that this is not done again for the next response.
   */
  const makeRoom = (nowMs: number): void => {
    const holders = listHolders();
    const weight = (exchange: Exchange): number => (nowMs - exchange.movedAtMs) * bytesOf(exchange);
    const weights = new Map(holders.flatMap(({ exchanges }) => exchanges.map((one) => [one, weight(one)] as const)));
    for (const { exchanges } of holders)
      exchanges.sort((a, b) => (weights.get(a) as number) - (weights.get(b) as number));
    while (waitingBytes > LIMITS.waitingResponseBytes * LIMITS.waitingResponseShare) {
      const largest = holders.reduce((one, other) => (other.bytes > one.bytes ? other : one));
      const slowest = largest.exchanges.pop();
      if (slowest === undefined) return;
      const beforeBytes = waitingBytes;
      release(slowest);
      largest.bytes -= beforeBytes - waitingBytes;
      cutOff += 1;
      slowest.request.raw.socket.destroy();
    }
  };

  /** Not as a stream: making one, and the errors of one that ends early, takes longer than all else about a visitor. */
  const write = (exchange: Exchange, parts: Iterator<string | Uint8Array>): void => {
    const { raw } = exchange.reply;
    const party = exchange.request.context === undefined ? 'visitors' : 'teams';
    const writeNext = (): void => {
      if (raw.destroyed) return;
      exchange.movedAtMs = monotonicMs();
      const { value, done } = parts.next();
      if (done) raw.end();
      else if (writeNow(raw, value)) startInTurn(party, writeNext);
    };
    raw.on('drain', () => startInTurn(party, writeNext));
    writeNext();
  };

  const hold = (exchange: Exchange, body: Body, length: number): void => {
    // A text is that of one response: what many receive is prepared as bytes.
    const of = typeof body === 'string' ? exchange : body;
    const known = users.get(of) ?? 0;
    if (known === 0) waitingBytes += length;
    users.set(of, known + 1);
    exchange.body = { of, length };
    exchange.movedAtMs = monotonicMs();
    if (waitingBytes > LIMITS.waitingResponseBytes) makeRoom(exchange.movedAtMs);
  };

  return {
    send: (exchange, body) => {
      const { reply } = exchange;
      // It was told that it took too long, or has left.
      if (reply.sent) return;
      reply.hijack();
      if (exchange.isClosed) return;
      const length = lengthOf(body);
      hold(exchange, body, length);
      const headers = { ...reply.getHeaders(), 'content-length': length } as OutgoingHttpHeaders;
      reply.raw.writeHead(reply.statusCode, headers);
      write(exchange, partsOf(body));
    },
    release,
    get waitingBytes() {
      return waitingBytes;
    },
    get cutOff() {
      return cutOff;
    },
  };
};
