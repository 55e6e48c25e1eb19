import { ROLES } from '../shared/context.ts';
import type { Options } from './shared.ts';

export interface OptionSyntax {
  /** What its value is called; an option without one is a flag. */
  readonly value?: string;
  /** All values that it may have. */
  readonly values?: readonly string[];
  readonly short?: string;
  readonly isRepeatable?: boolean;
  readonly help: string;
}

/** Every option that a command may have. Each means the same everywhere. */
export const OPTIONS: Readonly<Record<keyof Options, OptionSyntax>> = {
  team: { value: 'ID', help: 'the id of the team' },
  role: { value: 'ROLE', values: ROLES, help: `what the secret may do: ${ROLES.join(', ')}` },
  name: { value: 'NAME', help: 'what to call it; its role if left out' },
  id: { value: 'SECRET_ID', help: 'the id of the secret, as listed' },
  to: { value: 'URL', help: 'the database to copy to: sqlite:PATH or postgres://…' },
  force: { help: 'overwrites an existing file' },
  replace: { help: 'deletes all existing data first' },
  expand: { help: 'only adds what the new version needs; nodes of the version before go on' },
  contract: { help: 'removes what only the version before needs; its nodes serve nothing any more' },
  output: { value: 'FILE', short: 'o', help: 'saves the plan, for publish' },
  message: { value: 'MESSAGE', short: 'm', help: 'why, for the history of the catalog' },
  limit: { value: 'N', help: 'how many to list' },
  merge: { help: 'leaves alone what the folder does not have, instead of deleting it' },
  json: { help: 'prints JSON instead of text' },
  yes: { help: 'does not ask' },
  verbose: { help: 'shows all of a long plan' },
  players: { value: 'N', help: 'how many players' },
  rolls: { value: 'N', help: 'how many rolls each player makes' },
  seed: { value: 'TEXT', help: 'the same seed gives the same result' },
  price: { value: 'X', help: 'what a roll costs' },
  depth: { value: 'D', help: 'the depth of roguelike offers' },
  receipt: { value: 'HASH', isRepeatable: true, help: 'a receipt that the player kept, which must be in the proof' },
  commitment: { value: 'HASH', help: 'the commitment that the player was shown before they chose a client seed' },
  'client-seed': { value: 'TEXT', help: 'the client seed that the player chose then' },
  head: { value: 'HEAD', isRepeatable: true, help: 'a head of the public log that the player kept, or a file with it' },
};

export const optionNames = Object.keys(OPTIONS) as (keyof Options)[];

/** As it is typed, such as `-o FILE, --output FILE`. */
export const spell = (name: keyof Options): string => {
  const { value, short } = OPTIONS[name];
  const suffix = value === undefined ? '' : ` ${value}`;
  return `${short === undefined ? '' : `-${short}, `}--${name}${suffix}`;
};
