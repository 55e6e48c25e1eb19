/** What the page sends is checked here, since anyone can send anything. */
import type { Offered, Place, RollRequest, SeedRequest } from './api.ts';
import { Refusal } from './refusal.ts';

type Members = Readonly<Record<string, unknown>>;

const check: (isRight: boolean, message: string) => asserts isRight = (isRight, message) => {
  if (!isRight) throw new Refusal(400, message);
};

const membersOf = (body: unknown): Members => {
  check(typeof body === 'object' && body !== null && !Array.isArray(body), 'The body must be a JSON object.');
  return body as Members;
};

const whole = (value: unknown, name: string, max: number): number => {
  check(Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max, `${name} must be from 0 to ${max}.`);
  return Number(value);
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f]/;

const text = (value: unknown, name: string, maxLength: number): string => {
  check(typeof value === 'string', `${name} must be a text.`);
  const trimmed = value.trim();
  check(
    trimmed !== '' && trimmed.length <= maxLength && !CONTROL.test(trimmed),
    `${name} must have 1 to ${maxLength} characters.`,
  );
  return trimmed;
};

export const nameFrom = (body: unknown): string => text(membersOf(body).name, 'The name', 24);

const COUNTS: Readonly<Record<Offered, readonly unknown[]>> = { banner: [1, 10], chest: [1] };

export const rollFrom = (body: unknown): RollRequest => {
  const { key, what, count } = membersOf(body);
  check(typeof key === 'string' && /^[\w-]{16,64}$/.test(key), 'key must be 16 to 64 letters, digits, - or _.');
  check(what === 'banner' || what === 'chest', 'what must be banner or chest.');
  check(COUNTS[what].includes(count), `count must be ${COUNTS[what].join(' or ')}.`);
  return { key, what, count: Number(count) };
};

export const placeFrom = (body: unknown): Place => {
  const { x, y, rotated } = membersOf(body);
  check(typeof rotated === 'boolean', 'rotated must be true or false.');
  return { x: whole(x, 'x', 1000), y: whole(y, 'y', 1000), rotated };
};

const hash = (value: unknown, name: string): string => {
  check(typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), `${name} must be 64 digits.`);
  return value;
};

export const seedFrom = (body: unknown): SeedRequest => {
  const { clientSeed, commitment, manifest } = membersOf(body);
  return {
    clientSeed: text(clientSeed, 'The seed', 100),
    commitment: hash(commitment, 'commitment'),
    manifest: hash(manifest, 'manifest'),
  };
};

export const epochFrom = (value: string): number => whole(Number(value), 'epoch', 1_000_000_000);
