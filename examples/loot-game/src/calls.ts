/** Calls of the game server. The page knows nothing of the service behind it, and has no secret. */
import type { Fault, Me, Place, Rolled, RollRequest, SeedRequest, World } from '../server/api.ts';

/** The server said no, or nothing at all. */
export class CallError extends Error {
  override name = 'CallError';
  /** Whether the same call may succeed later, as after a broken connection. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

const AWAY = 'The game server is not responding. Nothing is lost: try again soon.';

const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const json = { 'content-type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) };
  const response = await fetch(`/api/${path}`, init).catch(() => {
    throw new CallError(AWAY, true);
  });
  const data = (await response.json().catch(() => {
    throw new CallError(AWAY, true);
  })) as T & Partial<Fault>;
  if (!response.ok) throw new CallError(data.message ?? AWAY, response.status >= 500);
  return data;
};

export const getWorld = (): Promise<World> => call('GET', 'world');
/** Null without a session. */
export const getMe = (): Promise<Me | null> => call('GET', 'me');
export const signIn = (name: string): Promise<object> => call('POST', 'session', { name });
export const signOut = (): Promise<object> => call('DELETE', 'session');
export const roll = (request: RollRequest): Promise<Rolled> => call('POST', 'rolls', request);
export const move = (id: string, place: Place): Promise<object> =>
  call('POST', `items/${encodeURIComponent(id)}/move`, place);
export const discard = (id: string): Promise<object> => call('DELETE', `items/${encodeURIComponent(id)}`);
export const discardPile = (): Promise<object> => call('DELETE', 'pile');
export const sortBag = (): Promise<object> => call('POST', 'bag/sort', {});
export const chooseSeed = (request: SeedRequest): Promise<object> => call('POST', 'seed', request);
