/** The game server: a session for each player, the calls of the page, and the page itself. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Fault } from './api.ts';
import { type Game, isAway } from './game.ts';
import { epochFrom, nameFrom, placeFrom, rollFrom, seedFrom } from './input.ts';
import type { Ledger, Player } from './ledger.ts';
import { Refusal } from './refusal.ts';

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

interface ServerParts {
  readonly game: Game;
  readonly ledger: Ledger;
  /** Path → file of the page. */
  readonly page: ReadonlyMap<string, PageFile>;
  /** Told what should not happen. */
  readonly report: (error: unknown) => void;
}

const COOKIE = 'loot-session';
const MAX_BODY_BYTES = 4096;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const tokenOf = ({ headers }: IncomingMessage): string | undefined =>
  headers.cookie
    ?.split(/;\s*/)
    .find((part) => part.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);

/** Scripts cannot read it, and other sites cannot send it. Behind HTTPS it must also be `Secure`. */
const cookieOf = (token: string, maxAgeS: number): string =>
  `${COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict`;

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, 'The request is too large.');
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'The body must be JSON.');
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refusal(400, 'The body is not valid JSON.');
  }
};

interface Call {
  readonly game: Game;
  readonly ledger: Ledger;
  readonly player: Player;
  readonly token: string | undefined;
  /** The part of the path that varies. */
  readonly id: string;
  readonly body: unknown;
  readonly response: ServerResponse;
}

type Handler = (call: Call) => unknown;

/** Without a session; `player` must not be used. */
const OPEN: Readonly<Record<string, Handler>> = {
  'GET /api/world': ({ game }) => game.world(),
  'POST /api/session': async ({ game, body, response }) => {
    const { token, maxAgeS } = await game.signIn(nameFrom(body));
    response.setHeader('set-cookie', cookieOf(token, maxAgeS));
  },
  'DELETE /api/session': ({ ledger, token, response }) => {
    if (token !== undefined) ledger.endSession(token);
    response.setHeader('set-cookie', cookieOf('', 0));
  },
  // No error, since this is how the page finds out.
  'GET /api/me': ({ game, ledger, token }) => {
    const player = token === undefined ? undefined : ledger.playerOf(token);
    return player === undefined ? null : game.me(player);
  },
};

const HANDLERS: Readonly<Record<string, Handler>> = {
  'POST /api/rolls': ({ game, player, body }) => game.roll(player, rollFrom(body)),
  'POST /api/items/:id/move': ({ game, player, id, body }) => game.move(player, id, placeFrom(body)),
  'DELETE /api/items/:id': ({ game, player, id }) => game.discard(player, id),
  'DELETE /api/pile': ({ game, player }) => game.discardPile(player),
  'POST /api/bag/sort': ({ game, player }) => game.sortBag(player),
  'POST /api/seed': ({ game, player, body }) => game.chooseSeed(player, seedFrom(body)),
  'GET /api/proofs/:id': async ({ game, player, id, response }) => {
    const epoch = epochFrom(id);
    const text = await game.proof(player, epoch);
    response.setHeader('content-disposition', `attachment; filename="proof-${epoch}.json"`);
    response.setHeader('content-type', 'application/json');
    return Buffer.from(text);
  },
};

const decodeId = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

const findHandler = (method: string, path: string): { name: string; id: string } => {
  const [, api, noun, id, ...rest] = path.split('/');
  const named = `${method} ${path}`;
  if (named in OPEN || named in HANDLERS || id === undefined) return { name: named, id: '' };
  // The client refuses such ids, since they would lead to another path.
  if (/^\.{0,2}$/.test(decodeId(id))) return { name: '', id: '' };
  return { name: `${method} ${['', api, noun, ':id', ...rest].join('/')}`, id: decodeId(id) };
};

const send = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'cache-control': 'no-store', 'content-type': 'application/json' });
  response.end(Buffer.isBuffer(value) ? value : JSON.stringify(value));
};

const answerCall = async (
  { game, ledger }: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> => {
  const { method = '' } = request;
  const { name, id } = findHandler(method, path);
  const open = OPEN[name];
  const handler = open ?? HANDLERS[name];
  if (handler === undefined) throw new Refusal(404, 'There is no such thing.');
  const site = request.headers['sec-fetch-site'];
  if (method !== 'GET' && site !== undefined && site !== 'same-origin')
    throw new Refusal(403, 'Other sites may not play for you.');
  const token = tokenOf(request);
  const player = token === undefined ? undefined : ledger.playerOf(token);
  if (open === undefined && player === undefined) throw new Refusal(401, 'Sign in first.');
  const body = await readBody(request);
  const value = await handler({ game, ledger, player: player as Player, token, id, body, response });
  send(response, 200, value === undefined ? {} : value);
};

const answerPage = (
  { page }: ServerParts,
  { method }: IncomingMessage,
  response: ServerResponse,
  path: string,
): void => {
  const file = method === 'GET' || method === 'HEAD' ? page.get(path === '/' ? '/index.html' : path) : undefined;
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
    return;
  }
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  response.writeHead(200, { 'content-type': file.type, 'cache-control': cache }).end(file.body);
};

const faultOf = (error: unknown): { status: number; fault: Fault } => {
  if (error instanceof Refusal) return { status: error.status, fault: { message: error.message } };
  if (isAway(error))
    return { status: 503, fault: { message: 'The item service is not responding. Nothing is lost: try again soon.' } };
  return { status: 500, fault: { message: 'Something went wrong on our side.' } };
};

export const createGameServer = (parts: ServerParts): Server =>
  createServer(async (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const path = /^[^?#]*/.exec(request.url ?? '/')?.[0] ?? '/';
    try {
      if (path.startsWith('/api/')) await answerCall(parts, request, response, path);
      else answerPage(parts, request, response, path);
    } catch (error) {
      const { status, fault } = faultOf(error);
      if (status >= 500) parts.report(error);
      // What was not read of a body is not waited for.
      if (!request.complete) response.setHeader('connection', 'close');
      send(response, status, fault);
    }
  });
