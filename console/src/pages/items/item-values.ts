import { castOf, type Entities, newId, toldOf } from '../../catalog/entities.ts';

/** An item as form values. A number is an empty string while its field is empty. */
export interface ItemValues {
  id: string;
  name: string;
  thumbnail: string;
  description: string;
  /** As JSON. */
  data: string;
  /** What it is, and of a currency which units are spent first. */
  currency: 'none' | 'freeFirst' | 'paidFirst';
  rollNumerator: number | string;
  width: number | string;
  height: number | string;
  classifierOptionIds: string[];
  itemAttributes: { attributeId: string; min: number | string; max: number | string }[];
}

export const isCurrency = ({ currency }: Pick<ItemValues, 'currency'>): boolean => currency !== 'none';

export const valuesOf = (item: Entities['item']): ItemValues => ({
  ...item,
  thumbnail: item.thumbnail ?? '',
  description: item.description ?? '',
  data: item.data ? JSON.stringify(item.data, null, 2) : '',
  currency: item.currency ? (item.spend ?? 'freeFirst') : 'none',
  classifierOptionIds: [...item.classifierOptionIds],
  itemAttributes: item.itemAttributes.map(({ attributeId, min, max }) => ({ attributeId, min, max })),
});

/** The data that was entered; undefined if it is not an object. */
const dataOf = ({ data }: ItemValues): Record<string, unknown> | null | undefined => {
  if (data.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

/** The item that the values describe, without options that a draft has removed. */
export const entityOfValues = (
  values: ItemValues,
  shown: Entities['item'] | null,
  hasOption: (id: string) => boolean,
): Entities['item'] => ({
  id: shown?.id ?? values.id,
  name: values.name,
  thumbnail: values.thumbnail === '' ? null : values.thumbnail,
  rollNumerator: Number(values.rollNumerator),
  // A currency has neither; what was entered is kept in the form.
  width: isCurrency(values) ? 1 : Number(values.width),
  height: isCurrency(values) ? 1 : Number(values.height),
  ...toldOf({ description: values.description || null, data: dataOf(values) ?? null }),
  ...castOf({ currency: isCurrency(values), spend: values.currency }),
  classifierOptionIds: values.classifierOptionIds.filter(hasOption),
  itemAttributes: (isCurrency(values) ? [] : values.itemAttributes).map(({ attributeId, min, max }) => ({
    id: shown?.itemAttributes.find((own) => own.attributeId === attributeId)?.id ?? newId(),
    attributeId,
    min: Number(min),
    max: Number(max),
  })),
});

const required = (value: number | string): string | null =>
  value === '' || !Number.isFinite(Number(value)) ? 'Enter a number' : null;

/** Errors that can be found without the service. */
export const validateItem = (values: ItemValues): Record<string, string | null> => ({
  name: values.name.trim() === '' ? 'Enter a name' : null,
  rollNumerator: required(values.rollNumerator),
  width: required(values.width),
  height: required(values.height),
  data: dataOf(values) === undefined ? 'Enter a JSON object, such as {"sound": "clang"}' : null,
  ...Object.fromEntries(
    values.itemAttributes.flatMap(({ min, max }, place) => [
      [`itemAttributes.${place}.min`, required(min)],
      [
        `itemAttributes.${place}.max`,
        required(max) ?? (Number(max) < Number(min) ? 'Must not be below the lowest value' : null),
      ],
    ]),
  ),
});
