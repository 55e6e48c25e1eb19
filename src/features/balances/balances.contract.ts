import { type Static, Type } from 'typebox';
import {
  Id,
  Money,
  Nullable,
  Paging,
  responses,
  Strict,
  Timestamp,
  TimestampInput,
  UnitPrice,
  UserId,
} from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const tags = ['Balances'];

export const CurrencyId = { ...Id, description: 'The item, which must be a currency.', examples: ['gem'] };

export const Quantity = Type.Integer({
  minimum: 1,
  maximum: LIMITS.balance,
  description: 'How many units: a whole number.',
  examples: [160],
});

const Units = Type.Integer({ description: 'A whole number of units.', examples: [160] });

const price = {
  unitPrice: Nullable(UnitPrice, { description: 'What each of them cost, as a decimal number; null for free units.' }),
  money: Nullable(Money, { description: 'The code of the money; null for free units.' }),
};

const BalanceLot = Type.Object(
  {
    quantity: { ...Units, description: 'Free units are negative if the user owes some.' },
    ...price,
    since: Nullable(Timestamp, { description: 'When the first of them were added; null for free units.' }),
  },
  { title: 'BalanceLot', description: 'Units of one kind.' },
);

export const Balance = Type.Object(
  {
    itemId: CurrencyId,
    quantity: { ...Units, description: 'All units together. Negative if the user owes some.' },
    paid: { ...Units, description: 'Those that were bought.' },
    free: { ...Units, description: 'The others.' },
    lots: Type.Optional(Type.Array(BalanceLot, { description: 'With `lots=true`.' })),
  },
  { title: 'Balance', description: 'What a user has of a currency.' },
);
export type Balance = Static<typeof Balance>;

const LotChange = Type.Object(
  { quantity: { ...Units, description: 'Negative if they were taken.' }, ...price },
  { title: 'LotChange', description: 'Units of one kind that were added or taken.' },
);

/** What stands where an item instance would, if the item is a currency. */
export const GivenBalance = Type.Object(
  {
    itemId: CurrencyId,
    quantity: { ...Units, description: 'How many units were added.' },
    total: { ...Units, description: 'How many the user has now.' },
  },
  { title: 'GivenBalance', description: 'Only for a currency, of which there are no item instances.' },
);
export type GivenBalance = Static<typeof GivenBalance>;

export const BalanceChange = Type.Object(
  {
    itemId: CurrencyId,
    change: { ...Units, description: 'Negative if units were taken.' },
    total: { ...Units, description: 'How many the user has now.' },
    lots: Type.Array(LotChange, { description: 'Which units, in the order in which they were taken.' }),
  },
  { title: 'BalanceChange' },
);
export type BalanceChange = Static<typeof BalanceChange>;

export const listBalances = {
  operationId: 'listBalances',
  summary: "List a user's balances",
  description:
    'One per currency of which the user has units, or owes some, by the id of the item: at most one per currency, so there are no pages. 404 for an unknown user.',
  tags,
  params: Strict({ userId: Id }),
  querystring: Strict({
    lots: Type.Optional(Type.Boolean({ description: 'Also list the units by what they cost.' })),
  }),
  response: responses('The balances.', Type.Array(Balance), 400, 401, 403, 404, 500),
};

export const NewUnits = Strict(
  {
    itemId: CurrencyId,
    quantity: Quantity,
    unitPrice: Type.Optional(UnitPrice),
    money: Type.Optional(Money),
  },
  { title: 'NewUnits', examples: [{ itemId: 'gem', quantity: 100, unitPrice: '0.0099', money: 'EUR' }] },
);
export type NewUnits = Static<typeof NewUnits>;

export const addUnits = {
  operationId: 'addUnits',
  'x-reason': true,
  summary: 'Add units of a currency',
  description: `With \`unitPrice\` and \`money\`, the units count as bought, and are kept apart by what they cost. If the user owes units, what comes in pays these first. 409 if the user would have more than 10^15 units, or units at more than ${LIMITS.lotsPerBalance} prices. A user who does not exist yet is created. Send an \`Idempotency-Key\`, so that a retry does not add them twice.`,
  tags,
  params: Strict({ userId: UserId }),
  body: NewUnits,
  response: responses('What was added.', BalanceChange, 400, 401, 403, 409, 500),
};

const Consumption = Strict(
  {
    units: Type.Array(Strict({ itemId: CurrencyId, quantity: Quantity }), {
      minItems: 1,
      maxItems: LIMITS.consumedPerRequest,
      description: 'Each item at most once.',
    }),
  },
  { title: 'Consumption', examples: [{ units: [{ itemId: 'gem', quantity: 160 }] }] },
);
export type Consumption = Static<typeof Consumption>;

const Consumed = Type.Object({ consumed: Type.Array(BalanceChange) }, { title: 'Consumed' });
export type Consumed = Static<typeof Consumed>;

export const consume = {
  operationId: 'consume',
  'x-reason': true,
  summary: 'Take units from a user',
  description:
    'All or nothing: if anything is missing, nothing is taken, and the issues of the 409 name what. Free units are taken before those that were bought, or after them if the currency says `spend: "paidFirst"`; of the latter, the oldest first. 404 for an unknown user.',
  tags,
  params: Strict({ userId: Id }),
  body: Consumption,
  response: responses('What was taken.', Consumed, 400, 401, 403, 404, 409, 500),
};

export const BalanceEntry = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: 'Number of the change among those of this balance, from 1.' }),
    itemId: CurrencyId,
    change: { ...Units, description: 'Negative if units were taken.' },
    before: { ...Units, description: 'How many the user had before.' },
    after: { ...Units, description: 'How many the user had afterwards.' },
    lots: Type.Array(LotChange, { description: 'Which units.' }),
    cause: Type.String({
      description:
        'Why: `request` (added), `consumed`, `roll`, `template:ID` or `spark:ID` (rolled), `grant:REFERENCE` or `revoked:REFERENCE`.',
      examples: ['consumed'],
    }),
    author: Type.String({ description: 'The name of the secret that was used.' }),
    reason: Nullable(Type.String(), { description: 'The `Itemwright-Reason` of the request.' }),
    requestId: Type.String(),
    createdAt: Timestamp,
  },
  { title: 'BalanceEntry', description: 'A change of a balance.' },
);
export type BalanceEntry = Static<typeof BalanceEntry>;

export const listBalanceHistory = {
  operationId: 'listBalanceHistory',
  summary: 'List the changes of a balance',
  description:
    'The ledger of a currency of a user, newest first, one page at a time; follow the `Link` header for more. It is kept for ever. 404 for an unknown user.',
  tags,
  params: Strict({ userId: Id, itemId: Id }),
  querystring: Strict(Paging),
  response: responses('A page of changes.', Type.Array(BalanceEntry), 400, 401, 403, 404, 500),
};

const BalanceReport = Type.Object(
  {
    itemId: CurrencyId,
    at: { ...Timestamp, description: 'The moment that it is about.' },
    quantity: { ...Units, description: 'All units together that had been bought and not used.' },
    prices: Type.Array(
      Type.Object({ unitPrice: UnitPrice, money: Money, quantity: Units }, { title: 'ReportedPrice' }),
      { description: 'The same by what they cost: by money, then by price.' },
    ),
  },
  { title: 'BalanceReport', description: 'What players have bought and not used.' },
);
export type BalanceReport = Static<typeof BalanceReport>;

export const reportBalances = {
  operationId: 'reportBalances',
  summary: 'Sum the unused paid units of a currency',
  description:
    'Over all players, at a moment, from the ledger: what rules on prepaid means ask for. What deleted users had left is not in it. It reads every change with paid units up to that moment, so a long ledger takes a while.',
  tags,
  querystring: Strict({
    itemId: CurrencyId,
    at: Type.Optional({ ...TimestampInput, description: 'Up to this moment; defaults to now.' }),
  }),
  response: responses('The sums.', BalanceReport, 400, 401, 403, 404, 500),
};
