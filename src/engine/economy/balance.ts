/** What a user has of a currency, as lots, and how it is added to and taken from. */

/** Which units of a currency are spent first. */
export const SPENDING = ['freeFirst', 'paidFirst'] as const;
export type Spending = (typeof SPENDING)[number];

/** What a unit cost: a decimal number as text, and the code of the money. */
export interface UnitPrice {
  readonly unitPrice: string;
  readonly money: string;
}

/** Units that were bought at one price. */
export interface PaidLot extends UnitPrice {
  readonly quantity: number;
  /** When the first of them were added. */
  readonly sinceMs: number;
}

export interface Balance {
  /** Free units. Negative if the user owes units; then there are no lots. */
  readonly quantity: number;
  /** Oldest first, no two with the same price. */
  readonly lots: readonly PaidLot[];
}

/** Units of one kind that were added or, if negative, taken. */
export interface LotChange {
  readonly quantity: number;
  /** Null for free units. */
  readonly price: UnitPrice | null;
}

export interface BalanceChange {
  readonly balance: Balance;
  readonly lots: readonly LotChange[];
}

export const EMPTY_BALANCE: Balance = { quantity: 0, lots: [] };

export const paidIn = ({ lots }: Balance): number => lots.reduce((sum, { quantity }) => sum + quantity, 0);

export const totalOf = (balance: Balance): number => balance.quantity + paidIn(balance);

export const isSamePrice = (one: UnitPrice, other: UnitPrice): boolean =>
  one.unitPrice === other.unitPrice && one.money === other.money;

/** A decimal number without zeros that say nothing, so that equal prices are the same text. */
export const plainDecimal = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

const withLot = (lots: readonly PaidLot[], added: PaidLot): PaidLot[] => {
  const known = lots.some((lot) => isSamePrice(lot, added));
  if (!known) return [...lots, added];
  return lots.map((lot) => (isSamePrice(lot, added) ? { ...lot, quantity: lot.quantity + added.quantity } : lot));
};

/** Adds units, of which the first pay what the user owes. */
export const addUnits = (
  { quantity: free, lots }: Balance,
  quantity: number,
  price: UnitPrice | null,
  nowMs: number,
): BalanceChange => {
  if (price === null) return { balance: { quantity: free + quantity, lots }, lots: [{ quantity, price: null }] };
  const owed = Math.min(quantity, Math.max(0, -free));
  const kept = quantity - owed;
  const { unitPrice, money } = price;
  return {
    balance: {
      quantity: free + owed,
      lots: kept === 0 ? lots : withLot(lots, { quantity: kept, sinceMs: nowMs, unitPrice, money }),
    },
    lots: [
      ...(owed === 0 ? [] : [{ quantity: owed, price: null }]),
      ...(kept === 0 ? [] : [{ quantity: kept, price: { unitPrice, money } }]),
    ],
  };
};

/** Takes paid units, oldest first, up to a number. */
const takePaid = (lots: readonly PaidLot[], most: number): { left: PaidLot[]; taken: LotChange[] } => {
  const left: PaidLot[] = [];
  const taken: LotChange[] = [];
  let wanted = most;
  for (const lot of lots) {
    const { unitPrice, money } = lot;
    const some = Math.min(wanted, lot.quantity);
    if (some > 0) taken.push({ quantity: -some, price: { unitPrice, money } });
    if (some < lot.quantity) left.push({ ...lot, quantity: lot.quantity - some });
    wanted -= some;
  }
  return { left, taken };
};

/** Takes units. There must be enough of them. */
export const takeUnits = (balance: Balance, quantity: number, spending: Spending): BalanceChange => {
  const { quantity: free, lots } = balance;
  const paid = paidIn(balance);
  const fromFree = spending === 'paidFirst' ? Math.max(0, quantity - paid) : Math.min(quantity, Math.max(0, free));
  const fromPaid = quantity - fromFree;
  if (fromFree > Math.max(0, free) || fromPaid > paid) throw new Error('More units were taken than there are.');
  const { left, taken } = takePaid(lots, fromPaid);
  const freeTaken: LotChange[] = fromFree === 0 ? [] : [{ quantity: -fromFree, price: null }];
  return {
    balance: { quantity: free - fromFree, lots: left },
    lots: spending === 'paidFirst' ? [...taken, ...freeTaken] : [...freeTaken, ...taken],
  };
};

/**
 * Takes back units that were added at a price: those first, then free ones, then the oldest others. What is no longer there
 * is owed, as free units below 0.
 */
export const takeBackUnits = (balance: Balance, quantity: number, price: UnitPrice | null): BalanceChange => {
  const isSame = (lot: PaidLot): boolean => price !== null && isSamePrice(lot, price);
  const same = takePaid(balance.lots.filter(isSame), quantity);
  const fromSame = -same.taken.reduce((sum, lot) => sum + lot.quantity, 0);
  const fromFree = Math.min(quantity - fromSame, Math.max(0, balance.quantity));
  const others = takePaid(
    balance.lots.filter((lot) => !isSame(lot)),
    quantity - fromSame - fromFree,
  );
  const fromOthers = -others.taken.reduce((sum, lot) => sum + lot.quantity, 0);
  const below = quantity - fromSame - fromOthers;
  const left = [...same.left, ...others.left];
  return {
    balance: { quantity: balance.quantity - below, lots: left },
    lots: [...same.taken, ...(below === 0 ? [] : [{ quantity: -below, price: null }]), ...others.taken],
  };
};
