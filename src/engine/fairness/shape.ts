/**
 * Shapes of JSON values from a source that nobody vouches for. Members that are not expected are refused as well, since
 * two readers might not agree on what they mean.
 */

import { timeMsOf } from './iso-time.ts';

/** What is wrong with a value, as the end of a sentence about a place in it; undefined if nothing is. */
export type Shape = (value: unknown, place: string) => string | undefined;

/** Names in messages are cut: a hostile one may be megabytes long. */
const NAME_LENGTH = 40;

export const shortened = (text: string): string =>
  JSON.stringify(text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH)}…` : text);

const isPlain = (name: string): boolean => /^\w{1,40}$/.test(name);
const placeOf = (place: string, name: string): string =>
  isPlain(name) ? `${place}${place === '' ? '' : '.'}${name}` : `${place}[${shortened(name)}]`;
const at = (place: string): string => (place === '' ? 'it' : place);

const where =
  <T>(is: (value: unknown) => value is T, description: string): Shape =>
  (value, place) =>
    is(value) ? undefined : `${at(place)} is not ${description}`;

const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

/** Halves of surrogate pairs are refused: in UTF-8 they would all look alike. */
export const text: Shape = where(isText, 'a text');

export const flag: Shape = where((value) => typeof value === 'boolean', 'true or false');

export const matching = (pattern: RegExp, description: string): Shape =>
  where((value): value is string => isText(value) && pattern.test(value), description);

export const hash: Shape = matching(/^[0-9a-f]{64}$/, 'a hash of 64 hexadecimal digits');

export const isIsoTime: Shape = (value, place) =>
  typeof value === 'string' && timeMsOf(value) !== undefined
    ? undefined
    : `${at(place)} is not a time such as 2027-03-01T10:00:02.000Z`;

/** A finite number: JSON has 1e999 too. */
export const number = (least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): Shape =>
  where(
    (value): value is number => Number.isFinite(value) && (value as number) >= least && (value as number) <= most,
    least === Number.NEGATIVE_INFINITY ? 'a number' : `a number from ${least} to ${most}`,
  );

export const integer = (least: number, most: number = Number.MAX_SAFE_INTEGER): Shape =>
  where(
    (value): value is number => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
    most === Number.MAX_SAFE_INTEGER ? `a whole number of ${least} or more` : `a whole number from ${least} to ${most}`,
  );

/** How often something happened. */
export const count: Shape = integer(0);

export const oneOf = (...values: readonly (string | number)[]): Shape =>
  where(
    (value): value is string | number => values.includes(value as string | number),
    values.map((value) => JSON.stringify(value)).join(' or '),
  );

export const orNull =
  (shape: Shape): Shape =>
  (value, place) =>
    value === null ? undefined : shape(value, place);

export const list =
  (shape: Shape, most: number = Number.POSITIVE_INFINITY): Shape =>
  (value, place) => {
    if (!Array.isArray(value)) return `${at(place)} is not a list`;
    if (value.length > most) return `${at(place)} has ${value.length} entries, more than ${most}`;
    for (let index = 0; index < value.length; index += 1) {
      const fault = shape(value[index], `${place}[${index}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

export const tuple =
  (...shapes: readonly Shape[]): Shape =>
  (value, place) => {
    if (!Array.isArray(value) || value.length !== shapes.length)
      return `${at(place)} is not a list of ${shapes.length} entries`;
    for (const [index, shape] of shapes.entries()) {
      const fault = shape(value[index], `${place}[${index}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Members = Readonly<Record<string, Shape>>;

/** An object with known members. */
export const object =
  (required: Members, optional: Members = {}): Shape =>
  (value, place) => {
    if (!isObject(value)) return `${at(place)} is not an object`;
    for (const name of Object.keys(required)) {
      if (!Object.hasOwn(value, name)) return `${placeOf(place, name)} is missing`;
    }
    for (const name of Object.keys(value)) {
      // Own members only: a value may have a member called `constructor`.
      const shape = Object.hasOwn(required, name)
        ? required[name]
        : Object.hasOwn(optional, name)
          ? optional[name]
          : undefined;
      const memberPlace = placeOf(place, name);
      const fault = shape === undefined ? `${memberPlace} is not a known member` : shape(value[name], memberPlace);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

/** An object whose members have any names. */
export const table =
  (shape: Shape, { keys = text, most = Number.POSITIVE_INFINITY }: { keys?: Shape; most?: number } = {}): Shape =>
  (value, place) => {
    if (!isObject(value)) return `${at(place)} is not an object`;
    const entries = Object.entries(value);
    if (entries.length > most) return `${at(place)} has ${entries.length} members, more than ${most}`;
    for (const [name, member] of entries) {
      const memberPlace = placeOf(place, name);
      const fault = keys(name, `the name of ${memberPlace}`) ?? shape(member, memberPlace);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
