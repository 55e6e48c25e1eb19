import { decimalsOf, scaledBy } from '../../decimal.ts';
import type { Steps } from '../../steps.ts';
import type { IdleConfig } from '../config.ts';
import { compileGacha, type GachaRules } from '../gacha/gacha.ts';
import type { IdleAccount } from '../state.ts';
import type { CompileContext } from '../tiers.ts';

/**
 * Accrual is counted in units: a millisecond at one millionth of a roll per hour. A rate with up to six decimals is a
 * whole number of units per millisecond, so every time span is worth a whole number of units and nothing is ever
 * rounded.
 */
const UNITS_PER_ROLL = 3_600_000n * 1_000_000n;
const MS_PER_HOUR = 3_600_000n;
const RATE_DECIMALS = 6;
const DEFAULT_MAX_HOURS = 24;
export const MAX_ROLLS_PER_CALL = 1000;
/** Whole rolls are stored as a JSON number, so the debt is limited to what that represents exactly. */
const MAX_OWED = BigInt(Number.MAX_SAFE_INTEGER) * UNITS_PER_ROLL;

export interface IdleRules extends GachaRules {
  readonly unitsPerMs: bigint;
  /** The maximum that can be owed: `maxHours` worth. */
  readonly maxUnits: bigint;
  readonly maxHours: number;
}

const leastOf = (left: bigint, right: bigint): bigint => (left < right ? left : right);

export function* compileIdle(config: IdleConfig, context: CompileContext): Steps<IdleRules> {
  const { faults } = context;
  const rules = yield* compileGacha(config, context);
  const { rollsPerHour, maxHours = DEFAULT_MAX_HOURS } = config;
  if (decimalsOf(rollsPerHour) > RATE_DECIMALS)
    faults.add(['rollsPerHour'], `must not have more than ${RATE_DECIMALS} decimals`);
  const unitsPerMs = scaledBy(rollsPerHour, RATE_DECIMALS);
  const hourDecimals = decimalsOf(maxHours);
  const maxUnits = (scaledBy(maxHours, hourDecimals) * MS_PER_HOUR * unitsPerMs) / 10n ** BigInt(hourDecimals);
  if (maxUnits < UNITS_PER_ROLL) {
    faults.add([config.maxHours === undefined ? 'rollsPerHour' : 'maxHours'], 'allows less than one roll to accrue');
  }
  return { ...rules, unitsPerMs, maxUnits: leastOf(maxUnits, MAX_OWED), maxHours };
}

/** How rolls accrue: per hour, up to a number of hours and of whole rolls. */
export interface Accrual {
  readonly rollsPerHour: number;
  readonly maxHours: number;
  readonly maxRolls: number;
}

export const accrualOf = ({ unitsPerMs, maxUnits, maxHours }: IdleRules): Accrual => ({
  rollsPerHour: Number(unitsPerMs) / 10 ** RATE_DECIMALS,
  maxHours,
  maxRolls: Number(maxUnits / UNITS_PER_ROLL),
});

/**
 * What is owed at a given time. The first call starts the account; if the clock went back, nothing accrues until it has
 * caught up.
 */
export const accrue = (
  { unitsPerMs, maxUnits }: IdleRules,
  account: IdleAccount | null,
  nowMs: number,
): IdleAccount => {
  if (account === null) return { atMs: nowMs, rolls: 0, units: 0 };
  const elapsedMs = BigInt(Math.max(0, Math.floor(nowMs) - account.atMs));
  const owed = BigInt(account.rolls) * UNITS_PER_ROLL + BigInt(account.units) + elapsedMs * unitsPerMs;
  const kept = leastOf(owed, maxUnits);
  return {
    atMs: Math.max(account.atMs, Math.floor(nowMs)),
    rolls: Number(kept / UNITS_PER_ROLL),
    units: Number(kept % UNITS_PER_ROLL),
  };
};

/** Takes what is owed at a given time, up to the limit per call: the rest stays owed. */
export const claim = (
  rules: IdleRules,
  account: IdleAccount | null,
  nowMs: number,
): { count: number; account: IdleAccount } => {
  const owed = accrue(rules, account, nowMs);
  const count = Math.min(owed.rolls, MAX_ROLLS_PER_CALL);
  return { count, account: { ...owed, rolls: owed.rolls - count } };
};
