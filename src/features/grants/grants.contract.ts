import { type Static, Type } from 'typebox';
import { Nullable, responses, Strict, Timestamp, UserId } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { BalanceChange, NewUnits } from '../balances/balances.contract.ts';

const tags = ['Balances'];

const Reference = {
  ...UserId,
  maxLength: LIMITS.grantReferenceLength,
  description: `What the grant is for, such as the transaction id of a store: 1 to ${LIMITS.grantReferenceLength} characters other than control characters. Unique in the team, for ever.`,
  examples: ['GPA.3345-9876-1234-56789'],
};

const Source = Type.String({
  minLength: 1,
  maxLength: LIMITS.grantSourceLength,
  description: 'Where it comes from, in your own words: a shop, a mail, an event.',
  examples: ['Google Play'],
});

const RevokedUnits = Type.Object(
  {
    ...BalanceChange.properties,
    owed: Type.Integer({ minimum: 0, description: 'How many of them were no longer there, and are owed.' }),
  },
  { title: 'RevokedUnits' },
);

export const Grant = Type.Object(
  {
    reference: Reference,
    userId: Nullable(Type.String(), { description: "The user's id; null once the user was deleted." }),
    source: Nullable(Source, { description: 'As it was given; null if it was not.' }),
    given: Type.Array(BalanceChange, { description: 'What was added, with the totals at that time.' }),
    createdAt: Timestamp,
    revokedAt: Nullable(Timestamp, { description: 'When it was revoked; null if it was not.' }),
    revoked: Type.Array(RevokedUnits, { description: 'What was taken back then.' }),
  },
  { title: 'Grant', description: 'What a user was given for a reference.' },
);
export type Grant = Static<typeof Grant>;
export type RevokedUnits = Static<typeof RevokedUnits>;

const NewGrant = Strict(
  {
    reference: Reference,
    source: Type.Optional(Source),
    give: Type.Array(NewUnits, {
      minItems: 1,
      maxItems: LIMITS.consumedPerRequest,
      description: 'Units of currencies, as for `POST /users/{userId}/balances`. An item may be there several times.',
    }),
  },
  {
    title: 'NewGrant',
    examples: [
      {
        reference: 'GPA.3345-9876-1234-56789',
        source: 'Google Play',
        give: [{ itemId: 'gem', quantity: 100, unitPrice: '0.0099', money: 'EUR' }],
      },
    ],
  },
);
export type NewGrant = Static<typeof NewGrant>;

export const createGrant = {
  operationId: 'createGrant',
  'x-reason': true,
  summary: 'Grant units once per reference',
  description:
    'For purchases, mails and rewards that may be reported more than once: the same `reference` again, however late, adds nothing and returns what the first request gave. 409 if it asks for something else, for another user, or if a balance cannot have the units. A user who does not exist yet is created.',
  tags,
  params: Strict({ userId: UserId }),
  body: NewGrant,
  response: responses('The grant.', Grant, 400, 401, 403, 409, 500),
};

const PathReference = Strict({ reference: Type.String({ minLength: 1, maxLength: LIMITS.grantReferenceLength }) });

export const getGrant = {
  operationId: 'getGrant',
  summary: 'Get a grant',
  description: 'By its reference, percent-encoded. 404 if nothing was granted for it.',
  tags,
  params: PathReference,
  response: responses('The grant.', Grant, 400, 401, 403, 404, 500),
};

export const revokeGrant = {
  operationId: 'revokeGrant',
  'x-reason': true,
  summary: 'Take a grant back',
  description:
    'For refunds. Takes back units of the same price, then free ones, then others that were bought. What is no longer there is owed: the balance is below 0, nothing can be taken from it, and what comes in later pays the debt first. A grant that was revoked before stays as it is, and the response is the same. If the user was deleted, nothing is left to take. 404 if nothing was granted for the reference, 409 if the user would owe more than 10^15 units.',
  tags,
  params: PathReference,
  response: responses('The grant, and what was taken back.', Grant, 400, 401, 403, 404, 409, 500),
};
