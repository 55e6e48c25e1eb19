import { type Catalog, compileCatalog } from '../engine/pool/catalog.ts';
import type { TemplateConfig, TemplateType } from '../engine/systems/config.ts';
import {
  bindTemplate,
  type CompiledOrFaults,
  type CompiledTemplate,
  compileTemplate,
  type TemplateSource,
} from '../engine/systems/templates.ts';
import type { Issue } from '../shared/errors.ts';
import { readSharedText, type SharedText } from '../shared/shared-text.ts';
import { listFindings } from './findings.ts';
import { periodOf } from './period.ts';
import type { WantedEntity } from './request.ts';
import { sourceOf } from './rules.ts';
import { configIssues } from './shapes.ts';
import { type CatalogState, type EntityChunk, readState } from './state.ts';
import { optionsIn, targetOf } from './target.ts';

/** What is computed on the catalog of a draft: one of its templates, or a configuration that is not saved. */
export type DraftSubject =
  | { readonly templateId: string }
  | { readonly type: TemplateType; readonly config: Readonly<Record<string, unknown>> };

export interface DraftedInput {
  /** The live catalog. */
  readonly base: readonly EntityChunk[];
  /** The changes of the draft, as JSON. */
  readonly changes: SharedText;
  readonly subject: DraftSubject;
}

/** A template that compiles, on the catalog that the draft would make. */
export interface Drafted {
  readonly source: TemplateSource;
  readonly template: CompiledTemplate;
  readonly catalog: Catalog;
  readonly rollNumeratorOf: (item: { readonly id: string }) => number;
}

/** The catalog of a state, with the ranges of attributes. References that do not exist are left out. */
const compileWhole = (state: CatalogState): Catalog => {
  const options = optionsIn(state);
  const items = [...state.item.values()].map(({ classifierOptionIds, itemAttributes, ...item }) => ({
    ...item,
    optionIds: classifierOptionIds.filter((id) => options.has(id)),
    attributes: itemAttributes.flatMap((own) => {
      const attribute = state.attribute.get(own.attributeId);
      return attribute === undefined ? [] : { ...own, step: attribute.step };
    }),
  }));
  return compileCatalog(options.values(), items);
};

type Compiled = { readonly source: TemplateSource; readonly path: string } & CompiledOrFaults;

const compileSubject = (
  subject: DraftSubject,
  state: CatalogState,
  catalog: Catalog,
): { readonly issues: readonly Issue[] } | Compiled => {
  if ('templateId' in subject) {
    const entity = state.template.get(subject.templateId);
    if (entity === undefined)
      return { issues: [{ path: '/body/templateId', message: 'is not a template of the draft' }] };
    const source = sourceOf(entity);
    return { source, path: '/template/config', ...compileTemplate(source, catalog) };
  }
  const { type, config: given } = subject;
  const path = '/body/config';
  const issues = configIssues(type, given, path);
  if (issues.length > 0) return { issues };
  const config = given as TemplateConfig;
  const unbound = { id: '', type, config, ...periodOf(config) };
  const { bindings, ...compiled } = bindTemplate(unbound, catalog);
  return { source: { ...unbound, bindings }, path, ...compiled };
};

/**
 * Lays a draft over the live catalog and compiles a template on it. Changes of the draft that are faulty are left out: its
 * plan says what is wrong with them.
 */
export const draftTemplate = ({ base, changes, subject }: DraftedInput): { issues: readonly Issue[] } | Drafted => {
  const wanted = JSON.parse(readSharedText(changes)) as WantedEntity[];
  const state = targetOf(readState(base), wanted, { replace: false, takesNames: true }, listFindings());
  const catalog = compileWhole(state);
  const compiled = compileSubject(subject, state, catalog);
  if ('issues' in compiled) return { issues: compiled.issues };
  const { source, path, template, faults } = compiled;
  if (template === null) return { issues: faults.map((fault) => ({ ...fault, path: `${path}${fault.path}` })) };
  return { source, template, catalog, rollNumeratorOf: ({ id }) => state.item.get(id)?.rollNumerator ?? 0 };
};
