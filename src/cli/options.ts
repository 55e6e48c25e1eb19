import { Option } from 'commander';
import { ROLES } from '../shared/context.ts';
import type { Options } from './shared.ts';

/** For options that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Every option that a command may have. Each means the same everywhere. */
export const OPTIONS: Readonly<Record<keyof Options, Option>> = {
  team: new Option('--team <ID>', 'the id of the team').makeOptionMandatory(),
  role: new Option('--role <ROLE>', 'what the secret may do').choices(ROLES).makeOptionMandatory(),
  name: new Option('--name <NAME>', 'what to call it; its role if left out'),
  id: new Option('--id <SECRET_ID>', 'the id of the secret, as listed').makeOptionMandatory(),
  to: new Option('--to <URL>', 'the database to copy to: sqlite:PATH or postgres://…').makeOptionMandatory(),
  force: new Option('--force', 'overwrites an existing file'),
  replace: new Option('--replace', 'deletes all existing data first'),
  expand: new Option('--expand', 'only adds what the new version needs; nodes of the version before go on'),
  contract: new Option(
    '--contract',
    'removes what only the previous version needs; its nodes then stop serving requests',
  ).conflicts('expand'),
  output: new Option('-o, --output <FILE>', 'saves the result: a plan, for publish, or code'),
  folder: new Option('--folder <DIR>', 'reads the catalog from a folder that was pulled, instead of a service'),
  message: new Option('-m, --message <MESSAGE>', 'why, for the history of the catalog'),
  limit: new Option('--limit <N>', 'how many to list'),
  merge: new Option('--merge', 'leaves alone what the folder does not have, instead of deleting it'),
  json: new Option('--json', 'prints JSON instead of text'),
  yes: new Option('--yes', 'does not ask'),
  verbose: new Option('--verbose', 'shows all of a long plan'),
  players: new Option('--players <N>', 'how many players'),
  rolls: new Option('--rolls <N>', 'how many rolls each player makes'),
  seed: new Option('--seed <TEXT>', 'the same seed gives the same result'),
  price: new Option('--price <X>', 'what a roll costs'),
  depth: new Option('--depth <D>', 'the depth of roguelike offers'),
  receipt: new Option('--receipt <HASH>', 'a receipt that the player kept, which must be in the proof').argParser(
    collect,
  ),
  commitment: new Option(
    '--commitment <HASH>',
    'the commitment that the player was shown before they chose a client seed',
  ),
  clientSeed: new Option('--client-seed <TEXT>', 'the client seed that the player chose then'),
  head: new Option('--head <HEAD>', 'a head of the public log that the player kept, or a file with it').argParser(
    collect,
  ),
};
