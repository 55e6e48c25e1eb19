import type { DisclosedAttribute } from '../../engine/systems/disclosed-attributes.ts';
import { nameIn } from './page-formats.presenter.ts';
import { body, cell, column, head, linkTo, note, type PageContent, section, table } from './page-parts.presenter.ts';

const rangeText = ({ words }: PageContent, { min, max, step }: DisclosedAttribute): string => {
  const { exact } = words.formats;
  if (min === max) return exact(min);
  const bounds = `<span class="whole">${exact(min)} – ${exact(max)}</span>`;
  return step === null || step === 1 ? bounds : `${bounds}<span class="soft">${words.inSteps(step)}</span>`;
};

/** The values that attributes of the listed items can get. */
export const attributeSection = (content: PageContent): string => {
  const { words, attributes, attributeCount, attributeNames, items } = content;
  if (attributeCount === 0) return '';
  const { count, percent } = words.formats;
  const names = new Map(attributeNames.map(({ id, name }) => [id, name]));
  const itemNames = new Map(items.map(({ itemId, itemName }) => [itemId, itemName]));
  const rows = attributes.map((attribute) => {
    const { itemId, attributeId, values, odds } = attribute;
    return `<tr>${[
      cell(nameIn(itemNames.get(itemId) ?? itemId), 'name'),
      cell(nameIn(names.get(attributeId) ?? attributeId), 'name start'),
      cell(rangeText(content, attribute), 'name'),
      cell(values === null ? words.anyValue : count(values), 'wide'),
      cell(odds === null ? '–' : percent(odds)),
    ].join('')}</tr>`;
  });
  return section(
    'attributes',
    words.attributes,
    table(
      words.attributes,
      head(
        column(words.item),
        column(words.attribute, 'text'),
        column(words.range),
        column(words.valueCount, 'wide'),
        column(words.chanceOfEach),
      ),
      body(rows),
    ),
    note(
      words,
      words.attributesNote,
      attributes.length < attributeCount && words.attributesListed(attributes.length),
      attributes.length < attributeCount && `${linkTo(content, 'odds', words.allAttributesAsJson(attributeCount))}.`,
    ),
  );
};
