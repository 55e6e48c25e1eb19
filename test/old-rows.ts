/** Rows as earlier versions wrote them, by the migration after which they did, in the order of the columns then. */
import { createHash } from 'node:crypto';
import type { Value } from '../src/database/work.ts';
import { digestOf } from '../src/shared/digest.ts';

type OldRows = Record<string, Value[][]>;

export const secretOf = (team: string): string => `a-secret-of-${team}-from-old-times`;

/** A request that was handled by the earlier version, whose response is stored. */
export const OLD_REQUEST = { itemId: 'coin', userId: 'bob', id: 'loose' };
export const OLD_KEY = 'an-old-key';

export const oldResponse = (team: string) => ({
  ...{ id: 'loose', itemId: 'coin', userId: 'bob', teamId: team },
  ...{ createdAt: '2026-01-02T12:00:00.000Z', updatedAt: '2026-01-02T12:00:00.000Z', itemInstanceSpace: null },
});

const NOON = Date.UTC(2026, 0, 2, 12);
const DAY = '2026-01-02';

const CONFIG = { baseRates: { Five: 0.01, Three: 0.99 }, pityThreshold: 10, featuredItemIds: ['sword'] };

/** Of a user who rolled nine times in vain, so that the tenth roll has to succeed. */
const NINE_ROLLS = {
  own: { rolls: 9, sparkPoints: 0, idle: null },
  pity: { counters: [{ tier: 'five', since: 9 }], losses: 0 },
};

const fingerprint = createHash('sha256')
  .update(JSON.stringify(['POST', '/item-instances', OLD_REQUEST]))
  .digest('base64');

/** A team of old; teams have the same ids, so that a migration that mixes them up is noticed. */
export const oldRowsOf = (team: string): Record<string, OldRows> => {
  const rows = (...all: Value[][]): Value[][] => all.map((row) => [team, ...row]);
  return {
    '0001-foundation': {
      milestones: [[`first start of ${team}`, 1]],
      teams: rows([`Team ${team}`, 'v1', 'v1', 2, 1, 1]),
      secrets: rows(['s', 'first', 'admin', digestOf(secretOf(team)), 1]),
      attributes: rows(
        ['power', 1, 1, 'Power', 0, 1000, 0.5],
        ['edge', 2, 2, 'Ünï "quoted" \'one\' \\ {a,b} NULL 👾', -1.7976931348623157e308, 5e-324, null],
      ),
      classifiers: rows(['rarity', 1, 1, 'Rarity']),
      classifier_options: rows(['five', 'rarity', 0, 'Five', null], ['three', 'rarity', 1, 'Three', 0.5]),
      items: rows(['sword', 1, 1, 'Sword', 'sword.png', 1e-7, 1, 3], ['coin', 2, 3, 'Coin', null, 99.9, 1, 1]),
      item_classifiers: rows(['sword-five', 'sword', 'five', 0], ['coin-three', 'coin', 'three', 0]),
      item_attributes: rows(['sword-power', 'sword', 'power', 0, 10, 20]),
      deleted_items: rows(['relic', 'Relic']),
      templates: rows([
        ...['banner', 1, 1, 'Banner', 'gacha'],
        ...[JSON.stringify(CONFIG), JSON.stringify({ Five: 'five', Three: 'three' })],
      ]),
      template_options: rows(['banner', 'five'], ['banner', 'three']),
      template_items: rows(['banner', 'sword']),
      users: rows(['ann', 1, 1, 'steam:1'], ['bob', 1, 1, null], ['auth0|🐉', -1, 1, null]),
      spaces: rows(['bag', 1, 1, 'Bag', 4, 4]),
      user_spaces: rows(['bag-of-ann', 1, 1, 'ann', 'bag', null], ['bag-of-bob', 1, 1, 'bob', 'bag', 'chest']),
      item_instances: rows(
        ['blade', 5, 5, 'sword', 'ann', '{"sword-power":12.5}'],
        ['penny', 6, 6, 'coin', 'ann', '{}'],
        ['loose', NOON, NOON, 'coin', 'bob', '{}'],
      ),
      // The sword lies on its side in the first row.
      item_instance_spaces: rows(
        ['p-blade', 6, 7, 'blade', 'bag-of-ann', 1, 0, 1],
        ['p-penny', 6, 6, 'penny', 'bag-of-ann', 0, 3, 0],
      ),
      occupied_cells: rows(
        ...[1, 2, 3].map((x) => ['bag-of-ann', 'p-blade', x, 0]),
        ...[['bag-of-ann', 'p-penny', 0, 3]],
      ),
      user_space_rows: rows(['bag-of-ann', 0, 'e'], ['bag-of-ann', 3, '1']),
      roll_events: rows(
        ['019b7e5e-0000-7000-8000-000000000001', null, 'ann', NOON, '[["coin"],["coin"]]'],
        ['019b7e5e-0000-7000-8000-000000000002', null, null, NOON, '[["relic"]]'],
        ['019b7e5e-0000-7000-8000-000000000003', 'banner', 'bob', NOON, '[["sword",12.5]]'],
        // By a user who is gone, and by a clock that was years ahead.
        ['019b7e5e-0000-7000-8000-000000000004', null, 'nobody', NOON, '[["coin"]]'],
        ['01f00000-0000-7000-8000-000000000005', null, 'ann', NOON, '[["coin"]]'],
      ),
      roll_item_totals: rows(['', 'coin', 0, 3], ['', 'coin', 1, 1], ['', 'relic', 0, 1], ['banner', 'sword', 2, 1]),
      roll_item_days: rows(
        [DAY, '', 'coin', 0, 3],
        [DAY, '', 'coin', 1, 1],
        [DAY, '', 'relic', 0, 1],
        [DAY, 'banner', 'sword', 2, 1],
      ),
      roll_days: rows([DAY, '', 0, 5], [DAY, 'banner', 2, 1]),
    },
    '0002-user-states': {
      user_states: rows(
        ['ann', 'template:banner', 'banner', JSON.stringify(NINE_ROLLS)],
        ['bob', 'group:season', null, JSON.stringify(NINE_ROLLS.pity)],
      ),
    },
    '0003-item-instance-history': {
      item_instances: rows(['traded', 7, 7, 'coin', 'bob', '{}'], ['reborn', 8, 8, 'coin', 'bob', '{}']),
      item_instance_history: rows(
        ['traded', 1, 'coin', 'created', null, 'ann', 'roll', 7, `roll of ${team}`],
        ['traded', 2, 'coin', 'transferred', 'ann', 'bob', 'request', 8, null],
        ['reborn', 1, 'coin', 'created', null, 'ann', 'request', 7, 'first'],
        ['reborn', 2, 'coin', 'deleted', 'ann', null, 'batch', 7, 'second'],
        ['reborn', 3, 'coin', 'created', null, 'bob', 'request', 8, 'third'],
        ['melted', 1, 'sword', 'created', null, null, 'template:banner', 7, null],
        ['melted', 2, 'sword', 'deleted', null, null, 'user deleted', 8, null],
      ),
    },
    '0004-stored-answers': {
      stored_answers: rows([OLD_KEY, fingerprint, JSON.stringify(oldResponse(team)), Date.now()]),
    },
    '0005-roll-counts': {
      roll_events: rows(['019b7e5e-0000-7000-8000-000000000006', 'banner', null, NOON, '[["coin"]]']),
      roll_pending: rows(['019b7e5e-0000-7000-8000-000000000007', 'banner', DAY, 1, '["coin",1]']),
    },
  };
};
