import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Draws } from '../../engine/random.ts';
import { templateOdds } from '../../engine/systems/odds.ts';
import {
  depthFaults,
  isOpen,
  paySpark,
  refusalOfSpark,
  rollTemplate as rollByRules,
  rollSpark,
  viewState,
} from '../../engine/systems/rolling.ts';
import type { RollResult, TemplateState } from '../../engine/systems/state.ts';
import type { CompiledTemplate } from '../../engine/systems/templates.ts';
import { conflict, type Issue, invalid, refuseAny } from '../../errors.ts';
import { seededDraws } from '../../randomness.ts';
import { isoTime } from '../../time.ts';
import type { GivenInstance } from '../item-instances/item-instances.contract.ts';
import { checkReceiver, type Gift, giveInstances, type Workshop } from '../item-instances/item-instances.service.ts';
import { recordRolls } from '../rolls/rolls.service.ts';
import { ensureUser, getUser } from '../users/users.service.ts';
import type { ReadyTemplates } from './compiled-templates.service.ts';
import type {
  ConfigOdds,
  OddsRequest,
  Spark,
  SparkRequest,
  TemplateOdds,
  TemplateRollRequest,
  UserTemplateState,
} from './template-rolls.contract.ts';
import { checkConfig } from './templates.service.ts';
import { findTemplateState, holdTemplateState, saveTemplateState } from './user-states.service.ts';

/** What it takes to roll on templates. */
export interface TemplateWorkshop extends Workshop {
  readonly readyTemplates: ReadyTemplates;
}

/** Members that do not go together, or not with a template of this type. */
const requestFaults = (request: TemplateRollRequest, type: CompiledTemplate['type']): Issue[] => {
  const faults: Issue[] = [];
  const refuse = (member: keyof TemplateRollRequest, message: string) => {
    if (request[member] !== undefined) faults.push({ path: `/body/${member}`, message });
  };
  if (type === 'roguelike') {
    refuse('grant', 'is not for an offer: create the instance that the player picks');
    refuse('userSpaceId', 'is not for an offer: create the instance that the player picks');
  } else {
    for (const member of ['depth', 'seed', 'offer'] as const) refuse(member, 'is for roguelike templates only');
  }
  if (type === 'idle') refuse('count', 'is not for idle templates: what has accrued is rolled');
  const needsUser = type === 'idle' || request.userSpaceId !== undefined || request.grant === true;
  if (needsUser && request.userId === undefined)
    faults.push({
      path: '/body/userId',
      message: type === 'idle' ? 'is required for idle templates' : 'is required to give the results',
    });
  return faults;
};

const checkOpen = (template: CompiledTemplate, nowMs: number): void => {
  if (isOpen(template, nowMs)) return;
  const { startsAtMs, endsAtMs } = template;
  const message =
    startsAtMs !== null && nowMs < startsAtMs
      ? `is not open before ${isoTime(startsAtMs)}`
      : `is closed since ${isoTime(endsAtMs ?? nowMs)}`;
  throw invalid({ path: '/path/id', message });
};

const showState = (
  template: CompiledTemplate,
  userId: string,
  state: TemplateState | null,
  nowMs: number,
): UserTemplateState => {
  const view = viewState(template, state, nowMs);
  return { templateId: template.id, userId, ...view, pities: [...view.pities], next: [...view.next] };
};

const giftOf = ({ item, values }: Pick<RollResult, 'item' | 'values'>): Gift => ({ itemId: item.id, values });

/** Rolls on a template. The answer is a text, since most of it is made of pieces that are kept as texts. */
export const rollTemplate = async (
  tx: Transaction,
  context: Context,
  id: string,
  request: TemplateRollRequest,
  workshop: TemplateWorkshop,
): Promise<string> => {
  const { userId, userSpaceId, grant = false, onFull, depth = 0, seed, offer = 0, count = 1 } = request;
  const ready = await workshop.readyTemplates(tx, context.teamId, id);
  refuseAny(requestFaults(request, ready.type));
  const template = ready.template();
  checkOpen(template, context.nowMs);
  refuseAny(depthFaults(template, depth).map(({ path, message }) => ({ path: `/body${path}`, message })));

  // A seeded run reads and changes no counter, whoever it is for.
  const stateful = userId !== undefined && seed === undefined;
  const before = stateful ? await holdTemplateState(tx, context, userId, template) : null;
  if (userId !== undefined && !stateful) await ensureUser(tx, context, userId);
  const drawsOf = (roll: number): Draws =>
    seed === undefined ? workshop.draws : seededDraws(seed, template.id, depth, offer + roll);
  const rolled = rollByRules(template, before, { count, depth, drawsOf, nowMs: context.nowMs });
  if (stateful && rolled.state !== null) saveTemplateState(tx, context, userId, template, rolled.state);

  let given: GivenInstance[] = [];
  if (userId !== undefined && (grant || userSpaceId !== undefined)) {
    const receiver = { userId, userSpaceId, onFull, cause: `template:${id}` } as const;
    given = await giveInstances(tx, context, receiver, rolled.results.map(giftOf));
  }
  recordRolls(tx, context, rolled.results, { templateId: id, userId });

  const after =
    stateful || userId === undefined ? rolled.state : await findTemplateState(tx, context, userId, template);
  const rolls = rolled.results.map((result, index) => ready.team.rollText(result, moreText(result, given[index])));
  const state = userId === undefined ? null : showState(template, userId, after, context.nowMs);
  return `{"templateId":${JSON.stringify(id)},"userId":${JSON.stringify(userId ?? null)},"rolls":[${rolls.join(',')}],"state":${JSON.stringify(state)}}`;
};

/** What a roll on a template tells besides the item and its values. */
const moreText = ({ tier, pity, featured }: RollResult, itemInstance: GivenInstance | undefined): string => {
  const instance = itemInstance === undefined ? '' : `,"itemInstance":${JSON.stringify(itemInstance)}`;
  return `,"tier":${JSON.stringify(tier)},"pity":${pity},"featured":${featured}${instance}`;
};

export const sparkTemplate = async (
  tx: Transaction,
  context: Context,
  id: string,
  { userId, itemId, userSpaceId, onFull }: SparkRequest,
  workshop: TemplateWorkshop,
): Promise<Spark> => {
  const template = (await workshop.readyTemplates(tx, context.teamId, id)).template();
  checkOpen(template, context.nowMs);
  const refusal = refusalOfSpark(template, itemId);
  if (refusal === 'no-spark') throw invalid({ path: '/path/id', message: 'has no spark' });
  if (refusal === 'not-featured') throw invalid({ path: '/body/itemId', message: 'is not featured here' });

  const before = await holdTemplateState(tx, context, userId, template);
  const receiver = { userId, userSpaceId, onFull, cause: `spark:${id}` } as const;
  const after = paySpark(template, before);
  const item = rollSpark(template, itemId, workshop.draws);
  if (after === null || item === undefined) {
    await checkReceiver(tx, context, receiver);
    throw conflict({
      path: '/body/userId',
      message: `has ${before.own.sparkPoints} of the ${template.sparkCost} points that it costs`,
    });
  }
  saveTemplateState(tx, context, userId, template, after);
  const [itemInstance] = await giveInstances(tx, context, receiver, [giftOf(item)]);
  return {
    templateId: id,
    userId,
    itemInstance: itemInstance as GivenInstance,
    state: showState(template, userId, after, context.nowMs),
  };
};

export const getUserTemplateState = async (
  reader: Reader,
  context: Context,
  { userId, id }: { userId: string; id: string },
  workshop: TemplateWorkshop,
): Promise<UserTemplateState> => {
  await getUser(reader, context, userId);
  const template = (await workshop.readyTemplates(reader, context.teamId, id)).template();
  return showState(template, userId, await findTemplateState(reader, context, userId, template), context.nowMs);
};

export const getTemplateOdds = async (
  reader: Reader,
  context: Context,
  id: string,
  workshop: TemplateWorkshop,
): Promise<TemplateOdds> => {
  return (await workshop.readyTemplates(reader, context.teamId, id)).odds();
};

/** The odds that a configuration would have, were it saved. */
export const previewTemplateOdds = async (
  reader: Reader,
  context: Context,
  { type = 'gacha', config }: OddsRequest,
  { catalogs }: TemplateWorkshop,
): Promise<ConfigOdds> => {
  const { template } = await checkConfig(reader, context, { id: 'preview', type, config }, catalogs);
  return templateOdds(template) as ConfigOdds;
};
