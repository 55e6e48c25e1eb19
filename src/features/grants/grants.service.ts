import { ask, holding } from '../../database/declarations.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { type Finder, holdAll, type Reader, type Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { digestOf } from '../../shared/digest.ts';
import { conflict, notFound, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { BalanceChange } from '../balances/balances.contract.ts';
import { addTo, type BalanceDeps, holdWallet, priceOf, unitsFaults } from '../balances/balances.service.ts';
import { ensureUser, findKnownUser, findRollers } from '../users/users.service.ts';
import type { Grant, NewGrant, RevokedUnits } from './grants.contract.ts';
import * as store from './grants.store.ts';

/** What was given, and at which price: the units of a grant are taken back as what they were. */
type StoredGift = BalanceChange & { readonly price: ReturnType<typeof priceOf> };

const toGrant = (row: Omit<store.FoundGrant, 'fingerprint'>, userId: string | null): Grant => ({
  reference: row.reference,
  userId,
  source: row.source,
  given: (JSON.parse(row.given) as StoredGift[]).map(({ price: _, ...change }) => change),
  createdAt: isoTime(row.created_at),
  revokedAt: row.revoked_at === null ? null : isoTime(row.revoked_at),
  revoked: row.revoked === null ? [] : JSON.parse(row.revoked),
});

const withUser = async (finder: Finder, row: store.FoundGrant): Promise<Grant> =>
  toGrant(row, (await findRollers(finder, [row.roller_id])).get(row.roller_id) ?? null);

/** The same for all requests that ask for the same. */
const fingerprintOf = (userId: string, { give, source }: NewGrant): string =>
  digestOf(
    JSON.stringify([userId, source ?? null, give.map((units) => [units.itemId, units.quantity, priceOf(units)])]),
  );

export const createGrant = async (
  work: Work,
  context: Context,
  userId: string,
  request: NewGrant,
  { catalogs }: BalanceDeps,
): Promise<Grant> => {
  const { reference, source = null, give } = request;
  const fingerprint = fingerprintOf(userId, request);
  // Concurrent requests with the same reference wait, and then find what was given.
  work.claim(`grants\0${reference}`);
  const [known] = await work.find(store.grantByReference, { reference });
  if (known !== undefined) {
    if (known.fingerprint !== fingerprint)
      throw conflict({ path: '/body/reference', message: 'was already used for something else' });
    return withUser(work, known);
  }
  const team = await catalogs.currentForPlacing(work);
  throwIfAny(give.flatMap((units, index) => unitsFaults(team, units, `/body/give/${index}`)));
  const itemIds = [...new Set(give.map(({ itemId }) => itemId))];
  const [{ wallet, user }] = await holdAll(work, holdWallet(work, context, userId, itemIds, team));
  const given = give.map(
    (units, index): StoredGift => ({
      ...addTo(wallet, units, `grant:${reference}`, `/body/give/${index}`),
      price: priceOf(units),
    }),
  );
  const { roller_id } = ensureUser(work, context, userId, user === undefined ? [] : [user]);
  wallet.save({ roller_id });
  const row = { reference, fingerprint, roller_id, source, given: JSON.stringify(given), created_at: context.nowMs };
  const open = { ...row, revoked_at: null, revoked: null };
  work.write(store.insertGrant, open);
  return toGrant(open, userId);
};

export const getGrant = async (finder: Finder, reference: string): Promise<Grant> => {
  const [row] = await finder.find(store.grantByReference, { reference });
  if (row === undefined) throw notFound();
  return withUser(finder, row);
};

export const revokeGrant = async (
  work: Work,
  context: Context,
  reference: string,
  { catalogs }: BalanceDeps,
): Promise<Grant> => {
  const team = await catalogs.currentForPlacing(work);
  const [found] = await work.find(store.grantByReference, { reference });
  if (found === undefined) throw notFound();
  const given = JSON.parse(found.given) as StoredGift[];
  const userId = (await findRollers(work, [found.roller_id])).get(found.roller_id);
  const itemIds = [...new Set(given.map(({ itemId }) => itemId))];
  const [row, held] = await holdAll(
    work,
    holding([ask(store.holdGrant, { reference })], ([grant]) => grant),
    userId === undefined ? null : holdWallet(work, context, userId, itemIds, team),
  );
  if (row === undefined) throw notFound();
  if (row.revoked_at !== null) return withUser(work, row);
  const revoked: RevokedUnits[] = [];
  // The user may have been deleted, or even be another one by now.
  if (held?.user?.roller_id === row.roller_id) {
    for (const { itemId, change, price } of given) {
      if (held.wallet.total(itemId) - change < -LIMITS.balance)
        throw conflict({
          path: '/path/reference',
          message: `would make the user owe more than ${LIMITS.balance} units`,
        });
      revoked.push(held.wallet.takeBack({ itemId, quantity: change }, price, `revoked:${reference}`));
    }
    held.wallet.save(held.user);
  }
  const end = { reference, revoked_at: context.nowMs, revoked: JSON.stringify(revoked) };
  work.write(store.revokeGrant, end);
  return toGrant({ ...row, ...end }, revoked.length === 0 ? null : (userId ?? null));
};

/** What a user was granted, for an export. */
export const listGrantsOf = async (reader: Reader, userId: string, { limit, after }: Page): Promise<Paged<Grant>> => {
  const user = await findKnownUser(reader, userId);
  if (user === undefined) throw notFound();
  const found = await store.selectGrantsOf(reader, user.roller_id, after?.id ?? '', limit + 1);
  const rows = found.slice(0, limit).map((row) => toGrant(row, userId));
  const last = rows.at(-1);
  return found.length > limit && last ? { rows, next: { createdAtMs: 0, id: last.reference } } : { rows };
};
