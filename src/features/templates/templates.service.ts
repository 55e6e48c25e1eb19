import type { TemplateEntity } from '../../catalog/entities.ts';
import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Finder, Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { ChangedEntity, ChangeEntity } from '../catalog/change.service.ts';
import type { NewTemplate, Template, TemplateChange } from './templates.contract.ts';
import * as store from './templates.store.ts';

const changedTemplate = (
  { teamId }: Context,
  { entity: { id, name, type, config, verifiable, disclosure }, ...times }: ChangedEntity<'template'>,
): Template => ({
  ...{ id, teamId, name, type, config },
  verifiable: verifiable ?? false,
  disclosure: disclosure ?? 'private',
  createdAt: isoTime(times.createdAt),
  updatedAt: isoTime(times.updatedAt),
});

export const createTemplate = async (
  tx: Transaction,
  context: Context,
  { id = newId(), createdAt, updatedAt, type = 'gacha', ...given }: NewTemplate,
  changeEntity: ChangeEntity,
): Promise<Template> => {
  const created = createdAt === undefined ? undefined : Date.parse(createdAt);
  const times = { createdAt: created, updatedAt: updatedAt == null ? created : Date.parse(updatedAt) };
  const edit = () => ({ id, type, ...given }) as TemplateEntity;
  const request = { kind: 'template', id, isNew: true, edit, given: { type, ...given }, times } as const;
  return changedTemplate(context, await changeEntity(tx, context, request));
};

/** A page of templates, each as JSON. */
export const listTemplates = async (
  reader: Reader,
  { teamId }: Context,
  filter: { type?: string },
  page: Page,
): Promise<Paged<string>> =>
  textPage(
    await store.selectPositions(reader, teamId, filter.type, page),
    async (positions) => {
      const found = await Promise.all(positions.map(({ id }) => reader.find(store.templateById, { id })));
      return found.flat().map(store.toTemplateText);
    },
    LIMITS.templatesPerRead,
  );

const getRow = async (finder: Finder, id: string): Promise<store.TemplateRow> => {
  const [row] = await finder.find(store.templateById, { id });
  if (row === undefined) throw notFound();
  return row;
};

export const getTemplate = async (finder: Finder, id: string): Promise<Template> =>
  store.toTemplate(await getRow(finder, id));

export const updateTemplate = async (
  tx: Transaction,
  context: Context,
  id: string,
  change: TemplateChange,
  changeEntity: ChangeEntity,
  ifMatch?: string,
): Promise<Template> => {
  const edit = ({ bindings, ...present }: TemplateEntity) =>
    // The tiers of a new configuration are bound anew.
    ({ ...present, ...(change.config === undefined ? { bindings } : {}), ...change }) as TemplateEntity;
  return changedTemplate(
    context,
    await changeEntity(tx, context, { kind: 'template', id, edit, given: change, ifMatch }),
  );
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
