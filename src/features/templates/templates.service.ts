import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Finder, Reader, Transaction } from '../../database/work.ts';
import { referencedIds } from '../../engine/systems/binding.ts';
import type { TemplateConfig } from '../../engine/systems/config.ts';
import type { Context } from '../../shared/context.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { requireMatch, templateEntity } from '../catalog/entities.service.ts';
import { changeCatalog } from '../catalog/versions.service.ts';
import { type ConfigChecks, checkShape } from './config-checks.service.ts';
import type { NewTemplate, Template, TemplateChange } from './templates.contract.ts';
import * as store from './templates.store.ts';

/** The group of a configuration, if it shares its pity with other templates. */
const pityGroupOf = (config: Record<string, unknown>): unknown => config.pityGroup;

/** Rejects a template that others of its pity group disagree with, or that is one too many. */
const checkVerifiable = async (tx: Transaction, row: store.TemplateRow): Promise<void> => {
  const group = pityGroupOf(JSON.parse(row.config));
  if (typeof group === 'string')
    for (const other of await store.selectContaining(tx, `"pityGroup":${JSON.stringify(group)}`))
      if (other.id !== row.id && other.verifiable !== row.verifiable && pityGroupOf(JSON.parse(other.config)) === group)
        throw invalid({
          path: '/body/verifiable',
          message: `must be the same as for ${other.name}, which is in the same pity group`,
        });
  if (row.verifiable === 1 && (await store.countVerifiable(tx)) > LIMITS.verifiableTemplates)
    throw invalid({
      path: '/body/verifiable',
      message: `at most ${LIMITS.verifiableTemplates} templates of a team can be verifiable`,
    });
};

export const createTemplate = async (
  tx: Transaction,
  context: Context,
  input: NewTemplate,
  checkConfig: ConfigChecks,
): Promise<Template> => {
  const { teamId, nowMs } = context;
  const { id = newId(), name, type = 'gacha', config } = input;
  checkShape({ type, config });
  return changeCatalog(tx, context, async (record) => {
    if ((await tx.find(store.templateById, { id }))[0] !== undefined)
      throw invalid({ path: '/body/id', message: 'is already in use' });
    const { bindings } = await checkConfig(tx, { type, config });
    const createdAt = input.createdAt === undefined ? nowMs : Date.parse(input.createdAt);
    const row: store.TemplateRow = {
      team_id: teamId,
      id,
      name,
      type,
      config: JSON.stringify(config),
      bindings: JSON.stringify(bindings),
      verifiable: input.verifiable ? 1 : 0,
      disclosure: input.disclosure ?? 'private',
      created_at: createdAt,
      updated_at: typeof input.updatedAt === 'string' ? Date.parse(input.updatedAt) : createdAt,
    };
    await store.insertTemplate(tx, row);
    await checkVerifiable(tx, row);
    await store.replaceReferences(tx, teamId, id, referencedIds(config as TemplateConfig, bindings));
    record('template', null, templateEntity(row));
    return store.toTemplate(row);
  });
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

export const updateTemplate = (
  tx: Transaction,
  context: Context,
  id: string,
  { name, config, verifiable, disclosure }: TemplateChange,
  checkConfig: ConfigChecks,
  ifMatch?: string,
): Promise<Template> =>
  changeCatalog(tx, context, async (record) => {
    const { teamId, nowMs } = context;
    const present = await getRow(tx, id);
    requireMatch(ifMatch, 'template', store.toTemplate(present));
    const changed: store.TemplateRow = {
      ...present,
      name: name ?? present.name,
      verifiable: verifiable === undefined ? present.verifiable : Number(verifiable),
      disclosure: disclosure ?? present.disclosure,
      updated_at: nowMs,
    };
    if (config !== undefined) {
      const { type } = store.toTemplate(present);
      const { bindings } = await checkConfig(tx, { type, config });
      changed.config = JSON.stringify(config);
      changed.bindings = JSON.stringify(bindings);
      await store.replaceReferences(tx, teamId, id, referencedIds(config as TemplateConfig, bindings));
    }
    await store.updateTemplate(tx, changed);
    if (config !== undefined || verifiable !== undefined) await checkVerifiable(tx, changed);
    record('template', templateEntity(present), templateEntity(changed));
    return store.toTemplate(changed);
  });

export const deleteTemplate = (tx: Transaction, context: Context, id: string, ifMatch?: string): Promise<void> =>
  changeCatalog(tx, context, async (record) => {
    const present = await getRow(tx, id);
    requireMatch(ifMatch, 'template', store.toTemplate(present));
    record('template', templateEntity(present), null);
    await store.deleteTemplate(tx, context.teamId, id);
  });

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

/** Templates that refer to one of these options, for error messages. */
export const templatesNamingOptions = (reader: Reader, optionIds: readonly string[]) =>
  store.selectNamingOptions(reader, reader.teamId, optionIds, LIMITS.issues);

/** Templates that refer to an item, for error messages. */
export const templatesNamingItem = (reader: Reader, itemId: string) =>
  store.selectNamingItem(reader, reader.teamId, itemId, LIMITS.issues);
