import { type Catalog, type CatalogItem, type CatalogOption, compileCatalog } from '../src/engine/pool/catalog.ts';
import type { TemplateConfig, TemplateType } from '../src/engine/systems/config.ts';
import { bindTemplate, type CompiledTemplate } from '../src/engine/systems/templates.ts';

export const option = (id: string, classifierId = 'rarity', name = id): CatalogOption => ({
  id,
  classifierId,
  name,
  dropRateMultiplier: null,
});

export const item = (
  id: string,
  optionIds: readonly string[] = [],
  rollNumerator = 1,
  attributes: CatalogItem['attributes'] = [],
): CatalogItem => ({ id, name: id.toUpperCase(), rollNumerator, width: 1, height: 1, optionIds, attributes });

/** Items of weight 1 per tier: `{ five: 4 }` gives five-1 to five-4. */
export const catalogOf = (counts: Readonly<Record<string, number>>): Catalog =>
  compileCatalog(
    Object.keys(counts).map((id) => option(id)),
    Object.entries(counts).flatMap(([id, count]) =>
      Array.from({ length: count }, (_, index) => item(`${id}-${index + 1}`, [id])),
    ),
  );

/** A valid template. */
export const templateOf = <T extends TemplateType>(
  type: T,
  config: TemplateConfig,
  catalog: Catalog,
): Extract<CompiledTemplate, { type: T }> => {
  const { template, faults } = bindTemplate({ id: 'template', type, config }, catalog);
  if (template === null) throw new Error(`The configuration has faults: ${JSON.stringify(faults)}`);
  return template as Extract<CompiledTemplate, { type: T }>;
};

/** Changes that create items whose snapshots are very long, about 20,000 characters each, and what these need. */
export const longItems = (count: number, optionIdOf: (index: number) => string[] = () => []) => {
  const marks = Array.from({ length: 99 }, (_, index) => `${'x'.repeat(185)}-${index}`);
  const classifierOptions = marks.map((id) => ({ id, name: id, dropRateMultiplier: null }));
  return [
    { kind: 'classifier', id: 'marks', after: { id: 'marks', name: 'Marks', classifierOptions } },
    ...Array.from({ length: count }, (_, index) => {
      const id = `long-${index}`;
      const after = { id, name: id, classifierOptionIds: [...optionIdOf(index), ...marks] };
      return { kind: 'item', id, after };
    }),
  ];
};
