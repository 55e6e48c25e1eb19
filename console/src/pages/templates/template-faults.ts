import type { Issue } from '@itemwright/client';
import { partsOf } from '../../api/client.ts';
import { type Faults, faultsOf, withIssues } from '../../parts/faults.tsx';
import type { TemplateValues, TierRate } from './template-values.ts';

/** What the form has a field for. */
const FIELD =
  /^(?:id|name|verifiable|baseRates|baseRates\.\d+\.rate|pool\.classifierOptionIds|pool\.itemIds|pityThreshold|pityTier|softPity|softPity\.\d+\.(?:from|add)|pities|pities\.\d+\.(?:tier|threshold)|pities\.\d+\.softPity|pities\.\d+\.softPity\.\d+\.(?:from|add)|featuredItemIds|featuredShare|guaranteeAfterLosses|rateUpMultiplier|sparkCurrency|pityGroup|startsAt|endsAt|slots|slots\.\d+\.(?:count|rates|classifierOptionIds)|slots\.\d+\.rates\.\d+\.rate|unique|choices|depthScaling|depthScaling\.\d+\.rate|rollsPerHour|maxHours)$/;

/** The field for a rate: that of its row, or the whole table if it has none. */
const rateField = (table: string, rows: readonly TierRate[] | undefined, tier: string | undefined): string => {
  const row = rows?.findIndex((one) => one.tier === tier) ?? -1;
  return row < 0 ? table : `${table}.${row}.rate`;
};

/** The field of the form for a member of the template or of its configuration. */
const fieldOf = ({ path }: Issue, values: TemplateValues): string | undefined => {
  const [, place, member = '', ...rest] = partsOf(path);
  if (place !== 'body') return undefined;
  switch (member) {
    case 'baseRates':
    case 'depthScaling':
      return rateField(member, values[member], rest[0]);
    case 'slots': {
      const slot = ['slots', ...rest.slice(0, 2)].join('.');
      return rest[1] === 'rates' ? rateField(slot, values.slots[Number(rest[0])]?.rates, rest[2]) : slot;
    }
    // Lists of ids have one field each.
    case 'pool':
      return `pool.${rest[0]}`;
    case 'featuredItemIds':
      return member;
    default:
      return [member, ...rest].join('.');
  }
};

/** Assigns errors to their fields. Errors without a field are returned separately. */
export const templateFaults = (error: unknown, values: TemplateValues): Faults =>
  faultsOf(
    withIssues(error, ({ path, message }) => ({ path: path.replace('/body/config', '/body'), message })),
    (field) => FIELD.test(field),
    (issue) => fieldOf(issue, values),
  );
