import { Type } from 'typebox';
import { Id, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { Balance, BalanceEntry } from '../balances/balances.contract.ts';
import { Grant } from '../grants/grants.contract.ts';
import { HistoryEvent } from '../history/history.contract.ts';
import { ItemInstance } from '../item-instances/item-instances.contract.ts';
import { ListedReceipt } from '../receipts/receipts.contract.ts';
import { RollEvent } from '../rolls/roll-log.contract.ts';
import { CounterChange } from '../templates/counters.contract.ts';
import { UserSpace } from '../user-spaces/user-spaces.contract.ts';
import { User } from '../users/users.contract.ts';

const UserExport = Type.Object(
  {
    exportedAt: Timestamp,
    user: User,
    userSpaces: Type.Array(UserSpace),
    states: Type.Array(
      Type.Object({
        scope: Type.String({ description: '`template:ID`, or `group:NAME` for a pity group.' }),
        templateId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
        state: Type.Unknown({ description: 'Counters as they are stored; their form may change.' }),
      }),
    ),
    counterChanges: Type.Array(CounterChange),
    balances: Type.Array(Balance),
    grants: Type.Array(Grant),
    balanceHistory: Type.Array(BalanceEntry, { description: 'By currency, oldest first.' }),
    itemInstances: Type.Array(ItemInstance),
    history: Type.Array(HistoryEvent, {
      description:
        'The histories of these item instances, up to 1,000 events of each, and the events by which others left the user.',
    }),
    rolls: Type.Array(RollEvent, { description: 'Newest first.' }),
    receipts: Type.Array(ListedReceipt),
  },
  { title: 'UserExport', description: 'Everything that is kept about a user.' },
);

export const exportUser = {
  operationId: 'exportUser',
  summary: 'Export everything about a user',
  description:
    'As one JSON file, for requests of players for their data: the user, user spaces, item instances and balances with their histories, counters, rolls and receipts. It is sent in parts, each of which is read for itself, so what changes meanwhile may be in it or not. Other owners in histories are left out.',
  tags: ['Users'],
  params: Strict({ userId: Id }),
  response: responses('Everything about the user.', Type.Unsafe<object>(UserExport), 400, 401, 403, 404, 500),
};
