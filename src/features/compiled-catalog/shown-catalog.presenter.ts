import { buildNumberColumn } from '../../engine/pool/number-column.ts';
import { buildTextColumn, type TextColumn } from '../../engine/pool/text-column.ts';

/** What responses show of a catalog in addition to what rolling needs. */
export interface ShownCatalog {
  readonly teamId: string;
  readonly attributes: ReadonlyMap<string, ShownAttribute>;
  readonly classifiers: ReadonlyMap<string, { readonly name: string }>;
  readonly items: ShownItems;
}

export interface ShownAttribute {
  readonly id: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
}

/** Links an item to one of its classifier options. */
export interface ShownLink {
  readonly id: string;
  readonly optionId: string;
}

export interface ShownItem {
  readonly thumbnail: string | null;
  readonly rollNumerator: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** In the order in which the item lists them. */
  readonly links: readonly ShownLink[];
}

/** By the item's place in the catalog. */
export interface ShownItems {
  at(place: number): ShownItem;
  /** Indexes of the item's compiled attributes, in the order in which the item lists them. */
  attributeOrderAt(place: number): readonly number[];
}

/** A column per member rather than an object per item: there may be a hundred thousand items. */
interface Columns {
  readonly optionIds: readonly string[];
  /** As JSON, to tell null from a string. */
  readonly thumbnails: TextColumn;
  readonly rollNumerators: Float64Array;
  readonly createdAtMs: Float64Array;
  readonly updatedAtMs: Float64Array;
  /** Index of each item's first link in the two columns below, followed by the total number of links. */
  readonly firstLinks: Uint32Array;
  readonly linkIds: TextColumn;
  readonly linkOptions: Uint32Array;
  /** The same for its attributes. */
  readonly firstAttributes: Uint32Array;
  readonly attributeOrders: Uint16Array;
}

const linksAt = ({ optionIds, firstLinks, linkIds, linkOptions }: Columns, place: number): ShownLink[] => {
  const links: ShownLink[] = [];
  const end = firstLinks[place + 1] as number;
  for (let index = firstLinks[place] as number; index < end; index += 1)
    links.push({ id: linkIds.at(index), optionId: optionIds[linkOptions[index] as number] as string });
  return links;
};

/** A function of its own, so that its closure does not retain the collectors. */
const shownItemsOf = (columns: Columns): ShownItems => ({
  at: (place) => ({
    thumbnail: JSON.parse(columns.thumbnails.at(place)) as string | null,
    rollNumerator: columns.rollNumerators[place] as number,
    createdAtMs: columns.createdAtMs[place] as number,
    updatedAtMs: columns.updatedAtMs[place] as number,
    links: linksAt(columns, place),
  }),
  attributeOrderAt: (place) => [
    ...columns.attributeOrders.subarray(columns.firstAttributes[place], columns.firstAttributes[place + 1]),
  ],
});

/** Collects items, which must be added in the order of the catalog. */
export const collectShownItems = (optionIds: readonly string[]) => {
  const optionNumbers = new Map(optionIds.map((id, number) => [id, number]));
  const thumbnails = buildTextColumn();
  const rollNumerators = buildNumberColumn(Float64Array);
  const createdAtMs = buildNumberColumn(Float64Array);
  const updatedAtMs = buildNumberColumn(Float64Array);
  const linkIds = buildTextColumn();
  const linkOptions = buildNumberColumn(Uint32Array);
  const firstLinks = buildNumberColumn(Uint32Array);
  const attributeOrders = buildNumberColumn(Uint16Array);
  const firstAttributes = buildNumberColumn(Uint32Array);
  firstLinks.add(0);
  firstAttributes.add(0);

  const add = (item: ShownItem & { readonly attributeOrder: readonly number[] }): void => {
    thumbnails.add(JSON.stringify(item.thumbnail));
    rollNumerators.add(item.rollNumerator);
    createdAtMs.add(item.createdAtMs);
    updatedAtMs.add(item.updatedAtMs);
    for (const { id, optionId } of item.links) {
      const number = optionNumbers.get(optionId);
      if (number === undefined) throw new Error(`there is no classifier option ${optionId}`);
      linkIds.add(id);
      linkOptions.add(number);
    }
    firstLinks.add(linkOptions.length);
    for (const index of item.attributeOrder) attributeOrders.add(index);
    firstAttributes.add(attributeOrders.length);
  };

  const finish = (): ShownItems =>
    shownItemsOf({
      optionIds,
      thumbnails: thumbnails.finish(),
      rollNumerators: rollNumerators.finish(),
      createdAtMs: createdAtMs.finish(),
      updatedAtMs: updatedAtMs.finish(),
      firstLinks: firstLinks.finish(),
      linkIds: linkIds.finish(),
      linkOptions: linkOptions.finish(),
      firstAttributes: firstAttributes.finish(),
      attributeOrders: attributeOrders.finish(),
    });

  return { add, finish };
};
