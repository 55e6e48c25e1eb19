import type { TemplateEntity } from '../../catalog/entities.ts';
import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Finder, Reader } from '../../database/work.ts';
import { notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { KindOfEntity } from '../catalog/kinds.service.ts';
import type { NewTemplate, Template, TemplateChange } from './templates.contract.ts';
import * as store from './templates.store.ts';

/** A page of templates, each as JSON. */
export const listTemplates = async (reader: Reader, { type }: { type?: string }, page: Page): Promise<Paged<string>> =>
  textPage(
    await store.selectPositions(reader, type, page),
    async (positions) => {
      const found = await Promise.all(positions.map(({ id }) => reader.find(store.templateById, { id })));
      return found.flat().map(store.toTemplateText);
    },
    LIMITS.templatesPerRead,
  );

export const templates: KindOfEntity<'template', NewTemplate, TemplateChange, Template, unknown, string> = {
  kind: 'template',
  create: (id, { createdAt, updatedAt, type = 'gacha', ...given }) => {
    const created = createdAt === undefined ? undefined : Date.parse(createdAt);
    return {
      edit: () => ({ id, type, ...given }) as TemplateEntity,
      given: { type, ...given },
      times: { createdAt: created, updatedAt: updatedAt == null ? created : Date.parse(updatedAt) },
    };
  },
  update: (_context, _id, change) => ({
    edit: ({ bindings, ...present }) =>
      // The tiers of a new configuration are bound anew.
      ({ ...present, ...(change.config === undefined ? { bindings } : {}), ...change }) as TemplateEntity,
    given: change,
  }),
  show: ({ teamId }, { entity: { id, name, type, config, verifiable, disclosure }, ...times }) => ({
    ...{ id, teamId, name, type, config },
    verifiable: verifiable ?? false,
    disclosure: disclosure ?? 'private',
    createdAt: isoTime(times.createdAt),
    updatedAt: isoTime(times.updatedAt),
  }),
  find: async (reader, id) => {
    const [row] = await reader.find(store.templateById, { id });
    return row && store.toTemplate(row);
  },
  list: (reader, _query, page) => listTemplates(reader, {}, page),
};

/** The name of a template that anyone may know of; 404 for any other, whether it exists or not. */
export const getPublicName = async (finder: Finder, id: string): Promise<string> => {
  const [row] = await finder.find(store.publicTemplate, { id });
  if (row === undefined) throw notFound();
  return row.name;
};

/** The templates of a pity group that anyone may know of. */
export const listPublicOfGroup = async (reader: Reader, group: string): Promise<{ id: string; name: string }[]> => {
  const rows = await store.selectPublicContaining(reader, JSON.stringify(group), LIMITS.disclosedGroup);
  return rows.flatMap(({ id, name, config }) =>
    (JSON.parse(config) as { pityGroup?: string }).pityGroup === group ? { id, name } : [],
  );
};

/** The ids of the templates whose rolls are verifiable. */
export const listVerifiable = async (finder: Finder): Promise<string[]> =>
  (await finder.find(store.verifiableTemplates, {})).map(({ id }) => id);
