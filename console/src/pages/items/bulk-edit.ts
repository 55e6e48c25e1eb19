import type { Entities } from '../../catalog/entities.ts';
import type { OptionsById } from '../../parts/options.tsx';

type Item = Entities['item'];

export const FIELDS = [
  { value: 'rollNumerator', label: 'Base weight' },
  { value: 'width', label: 'Width' },
  { value: 'height', label: 'Height' },
  { value: 'option', label: 'Option' },
];

export const WAYS = [
  { value: 'multiply', label: 'Multiply by' },
  { value: 'add', label: 'Add' },
  { value: 'set', label: 'Set to' },
];

export const OPTION_WAYS = [
  { value: 'set', label: 'Set, instead of others of its classifier' },
  { value: 'add', label: 'Add' },
  { value: 'remove', label: 'Remove' },
];

interface BulkEdit {
  readonly field: string;
  readonly way: string;
  readonly amount: number;
  readonly option: string | null;
  readonly options: OptionsById;
}

const MAX_SIDE = 20;

/** Without the noise of binary fractions. */
const rounded = (value: number): number => Number(value.toPrecision(12));

const withOption = (item: Item, { way, option, options }: BulkEdit): Item => {
  const ids = item.classifierOptionIds;
  if (option === null || (way !== 'remove' && ids.includes(option) && way === 'add')) return item;
  const classifierId = options.get(option)?.classifierId;
  const kept = ids.filter((id) =>
    way === 'set' ? options.get(id)?.classifierId !== classifierId : way === 'remove' ? id !== option : true,
  );
  const classifierOptionIds = way === 'remove' ? kept : [...kept, option];
  const isSame = classifierOptionIds.length === ids.length && classifierOptionIds.every((id) => ids.includes(id));
  return isSame ? item : { ...item, classifierOptionIds };
};

/** An item after a change that is made to several; the same object if it does not change. */
export const bulkEdit = (item: Item, edit: BulkEdit): Item => {
  const { field, way, amount } = edit;
  if (field === 'option') return withOption(item, edit);
  const member = field as 'rollNumerator' | 'width' | 'height';
  const before = item[member];
  const changed = rounded(way === 'set' ? amount : way === 'add' ? before + amount : before * amount);
  const after =
    member === 'rollNumerator' ? Math.max(0, changed) : Math.min(MAX_SIDE, Math.max(1, Math.round(changed)));
  return after === before ? item : { ...item, [member]: after };
};
