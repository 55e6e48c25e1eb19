import { once } from '../../engine/once.ts';
import type { Catalog, CatalogOption, CompiledItem } from '../../engine/pool/catalog.ts';
import type { RolledItem } from '../../engine/pool/pool.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createRecentlyUsed } from '../../shared/recently-used.ts';
import { isoTime } from '../../shared/time.ts';
import type { ShownCatalog, ShownItem } from './shown-catalog.presenter.ts';

export interface StoredInstance {
  readonly id: string;
  readonly itemId: string;
  readonly userId: string;
  /** A JSON object of item attribute id to value. */
  readonly values: string;
  /** Null if it is not placed. */
  readonly placement: StoredPlacement | null;
  /** A JSON object of the game's own, if it has one. */
  readonly data: string | null;
  readonly isLocked: boolean;
}

export interface StoredPlacement {
  readonly id: string;
  readonly userSpaceId: string;
  readonly x: number;
  readonly y: number;
  readonly rotated: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/**
 * Writes a team's items as JSON for responses. The parts that never change are cached for recently shown items only:
 * caching them for all items would take more memory than everything else.
 */
export interface CatalogPresenter {
  /** A roll result; `more` is JSON of additional members, each preceded by a comma. */
  rollText(rolled: RolledItem, more?: string): string;
  /** The length of a roll result without its additional members, if each value had one character. */
  rollLength(item: CompiledItem): number;
  /** No result of the catalog has a greater length; quickly found even if there are a hundred thousand items. */
  longestRoll(): number;
  /** An item instance as in lists. */
  instanceText(instance: StoredInstance): string;
}

/** The parts of an instance's JSON that are the same for all instances of an item. */
interface InstanceParts {
  /** From the item to the placement. */
  readonly item: string;
  /** From after the placement to the attributes. */
  readonly classifiers: string;
  /** In the order of the item. */
  readonly attributes: readonly AttributeParts[];
}

interface AttributeParts {
  readonly itemAttributeId: string;
  readonly beforeValue: string;
  readonly afterValue: string;
}

/** For values that the compiled catalog refers to, which must be in the rows it was compiled from. */
const known = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('The catalog refers to a row that it does not contain.');
  return value;
};

/** Members as JSON, without the surrounding braces. */
const membersText = (members: object): string => JSON.stringify(members).slice(1, -1);

/** Joins into one flat string: cached strings are read often, and V8 would flatten a rope each time. */
const flat = (...parts: readonly string[]): string => parts.join('');

/** Generated ids, and most others, need no escaping in JSON. */
const PLAIN = /^[\w.: -]*$/;

/** A string as JSON; twice as fast if it needs no escaping. */
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** The longest JSON of a text: any character may have to be escaped, as six others. */
const quotedLength = (length: number): number => 6 * length + 2;

/** Ids need no escaping. */
const ID_LENGTH = LIMITS.idLength + 2;
/** More than names of members, numbers and times of an item, an option or an attribute take. */
const OTHER_LENGTH = 500;

const longestOf = (texts: Iterable<string>): number =>
  Iterator.from(texts).reduce((longest, { length }) => Math.max(longest, length), 0);

/** The values of an instance, in the order of its item's attributes. */
const attributesText = (attributes: readonly AttributeParts[], storedValues: string): string => {
  const values = JSON.parse(storedValues) as Record<string, number>;
  let text = '';
  for (const { itemAttributeId, beforeValue, afterValue } of attributes) {
    const value = values[itemAttributeId];
    // The item gained the attribute after the instance was created. Attributes that it lost are not shown.
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}${beforeValue}${value}${afterValue}`;
  }
  return text;
};

export const createPresenter = (catalog: Catalog, shown: ShownCatalog): CatalogPresenter => {
  const { teamId } = shown;
  const teamText = JSON.stringify(teamId);
  const optionOf = (optionId: string): CatalogOption => known(catalog.options.get(optionId));

  /** What a roll shows of an item's option, from after the ids of the link and the item. */
  const optionTexts = new Map(
    catalog.options.values().map(({ id, name, dropRateMultiplier, classifierId }) => {
      const classifierOption = { id, name, dropRateMultiplier, classifierId };
      return [id, JSON.stringify({ classifierId, classifierOptionId: id, classifierOption }).slice(1)];
    }),
  );

  /** The members of an item in every response. */
  const itemMembersText = (item: CompiledItem, { thumbnail, rollNumerator, createdAtMs, updatedAtMs }: ShownItem) => {
    const { id, name, width, height } = item;
    const times = { createdAt: isoTime(createdAtMs), updatedAt: isoTime(updatedAtMs) };
    return membersText({ id, name, thumbnail, rollNumerator, width, height, ...times, teamId });
  };

  const rolledItemText = (place: number): string => {
    const item = known(catalog.items[place]);
    const shownItem = shown.items.at(place);
    const itemText = quoted(item.id);
    const classifiers = shownItem.links.map(
      ({ id, optionId }) => `{"id":${quoted(id)},"itemId":${itemText},${known(optionTexts.get(optionId))}`,
    );
    return flat('{', itemMembersText(item, shownItem), ',"classifiers":[', classifiers.join(','), ']}');
  };

  const instancePartsOf = (place: number): InstanceParts => {
    const item = known(catalog.items[place]);
    const shownItem = shown.items.at(place);
    const classifiers = shownItem.links.map(({ optionId }) => {
      const { name, classifierId } = optionOf(optionId);
      return {
        id: classifierId,
        name: known(shown.classifiers.get(classifierId)).name,
        classifierOption: { id: optionId, name },
      };
    });
    const { attributes } = item;
    return {
      item: flat(',"item":{', itemMembersText(item, shownItem), '},"itemInstanceSpace":'),
      classifiers: flat(',"classifiers":', JSON.stringify(classifiers), ',"attributes":['),
      attributes: shown.items.attributeOrderAt(place).map((index) => {
        const { itemAttributeId, attributeId, range } = known(attributes[index]);
        const { name } = known(shown.attributes.get(attributeId));
        return {
          itemAttributeId,
          beforeValue: flat('{', membersText({ id: itemAttributeId, attributeId, name }), ',"value":'),
          afterValue: flat(',', membersText({ min: range.min, max: range.max }), '}'),
        };
      }),
    };
  };

  const rolledItemTexts = createRecentlyUsed(LIMITS.cachedItemTexts, rolledItemText);
  const instanceParts = createRecentlyUsed(LIMITS.cachedItemTexts, instancePartsOf);
  const attributeTexts = new Map(
    shown.attributes.values().map(({ id, name, min, max, step }) => [
      id,
      // A roll shows the whole attribute.
      JSON.stringify({ id, name, min, max, step, teamId }),
    ]),
  );

  const placementText = (instanceText: string, placement: StoredPlacement): string => {
    const { id, userSpaceId, x, y, rotated, createdAtMs, updatedAtMs } = placement;
    return (
      `{"id":${quoted(id)},"itemInstanceId":${instanceText},"teamUserSpaceId":${quoted(userSpaceId)},` +
      `"spacePositionX":${x},"spacePositionY":${y},"rotated":${rotated},"teamId":${teamText},` +
      `"createdAt":"${isoTime(createdAtMs)}","updatedAt":"${isoTime(updatedAtMs)}"}`
    );
  };

  const rollText = (itemText: string, values: RolledItem['values'], more: string): string => {
    let text = `{"item":${itemText},"itemAttributeInstances":[`;
    let separator = '';
    for (const { itemAttributeId, attributeId, value } of values) {
      text += `${separator}{"itemAttributeId":${quoted(itemAttributeId)},"value":${value},"attribute":${known(attributeTexts.get(attributeId))}}`;
      separator = ',';
    }
    return `${text}]${more}}`;
  };

  return {
    rollText: ({ item, values }, more = '') => rollText(rolledItemTexts.get(item.place), values, more),

    // Not from the cache, which is for items that are rolled.
    rollLength: ({ place, attributes }) => {
      const values = attributes.map(({ itemAttributeId, attributeId }) => ({ itemAttributeId, attributeId, value: 0 }));
      return rollText(rolledItemText(place), values, '').length;
    },

    longestRoll: once(() => {
      let [options, attributes] = [0, 0];
      for (const item of catalog.items) {
        options = Math.max(options, item.optionIds.length);
        attributes = Math.max(attributes, item.attributeCount);
      }
      const perItem =
        2 * ID_LENGTH + quotedLength(LIMITS.nameLength) + quotedLength(LIMITS.thumbnailLength) + OTHER_LENGTH;
      const perOption = longestOf(optionTexts.values()) + 2 * ID_LENGTH + OTHER_LENGTH;
      const perAttribute = longestOf(attributeTexts.values()) + ID_LENGTH + OTHER_LENGTH;
      return perItem + options * perOption + attributes * perAttribute;
    }),

    instanceText: ({ id, itemId, userId, values: storedValues, placement, data, isLocked }) => {
      const { place } = known(catalog.itemsById.get(itemId));
      const parts = instanceParts.get(place);
      const idText = quoted(id);
      const text =
        `{"id":${idText},"userId":${quoted(userId)}${parts.item}` +
        `${placement === null ? 'null' : placementText(idText, placement)}${parts.classifiers}`;
      const more = `${data === null ? '' : `,"data":${data}`}${isLocked ? ',"locked":true' : ''}`;
      return `${text}${attributesText(parts.attributes, storedValues)}]${more}}`;
    },
  };
};
