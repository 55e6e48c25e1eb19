import { adviceOn } from '../../catalog/warnings.ts';
import { type Finder, holdAll, type Read, type Work } from '../../database/work.ts';
import { type RollReceiptRequest, sparkRow, templateRow } from '../../engine/fairness/receipts.ts';
import type { Draws } from '../../engine/random.ts';
import { longestResults } from '../../engine/systems/longest.ts';
import {
  depthFaults,
  isOpen,
  paySpark,
  resultsOf,
  rollTemplate as rollByRules,
  rollSpark,
  sparkFault,
  viewState,
} from '../../engine/systems/rolling.ts';
import type { RollResult, TemplateState } from '../../engine/systems/state.ts';
import { atDepth, type CompiledTemplate } from '../../engine/systems/templates.ts';
import type { Context, ResponseLimit } from '../../shared/context.ts';
import { conflict, type Issue, invalid, throwIfAny } from '../../shared/errors.ts';
import { seededDraws } from '../../shared/randomness.ts';
import { isoTime } from '../../shared/time.ts';
import { holdWallet } from '../balances/balances.service.ts';
import { type Gift, type GiveResult, giveResultText, holdReceiver } from '../item-instances/giving.service.ts';
import { itemOf } from '../item-instances/item-instances.service.ts';
import { beginRoll, fairnessText, holdEpoch, timeOfNext } from '../receipts/receipts.service.ts';
import { recordRolls } from '../rolls/roll-record.service.ts';
import { type RollDeps, testFaults } from '../rolls/rolls.service.ts';
import { findTemplateState, holdTemplateState } from '../user-states/user-states.service.ts';
import { getUser, holdKnownUser } from '../users/users.service.ts';
import type { ReadyTemplate } from './compiled-templates.service.ts';
import { CONFIG_PATH } from './config-checks.service.ts';
import { findLive, oddsInDraft, type SubjectDeps, subjectOf } from './roll-subjects.service.ts';
import type { Previews } from './template-odds.service.ts';
import type {
  OddsRequest,
  Spark,
  SparkRequest,
  TemplateRollRequest,
  UserTemplateState,
} from './template-rolls.contract.ts';

export interface TemplateRollDeps extends RollDeps, SubjectDeps {
  readonly previews: Previews;
}

/** Members that exclude each other, or do not apply to a template of this type. */
const requestFaults = (request: TemplateRollRequest, type: CompiledTemplate['type']): Issue[] => {
  const faults: Issue[] = [];
  const reject = (member: keyof TemplateRollRequest, message: string) => {
    if (request[member] !== undefined) faults.push({ path: `/body/${member}`, message });
  };
  if (type === 'roguelike') {
    reject('grant', 'is not for an offer: create the instance that the user picks');
    reject('userSpaceId', 'is not for an offer: create the instance that the user picks');
  } else {
    for (const member of ['depth', 'seed', 'offer'] as const) reject(member, 'is for roguelike templates only');
  }
  if (type === 'idle') reject('count', 'is not for idle templates: what has accrued is rolled');
  if (request.test === true) {
    const { userId, userSpaceId, grant } = request;
    if (type === 'idle') reject('test', 'is not for idle templates: what accrues belongs to a user');
    else faults.push(...testFaults({ userId, userSpaceId, grant }));
    return faults;
  }
  const needsUser = type === 'idle' || request.userSpaceId !== undefined || request.grant === true;
  if (needsUser && request.userId === undefined)
    faults.push({
      path: '/body/userId',
      message: type === 'idle' ? 'is required for idle templates' : 'is required to give the results',
    });
  return faults;
};

/** What a verifiable roll cannot be without, or cannot have. */
const verifiableFaults = ({ userId, seed }: TemplateRollRequest): Issue[] => [
  ...(userId === undefined
    ? [{ path: '/body/userId', message: 'is required: rolls on this template are verifiable' }]
    : []),
  ...(seed === undefined
    ? []
    : [{ path: '/body/seed', message: 'is not for verifiable rolls, which have seeds of their own' }]),
];

/** What a receipt says was asked for. */
const receiptRequest = (type: CompiledTemplate['type'], count: number, depth: number): RollReceiptRequest => {
  if (type === 'idle') return {};
  return type === 'roguelike' ? { count, depth } : { count };
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

export const showState = (
  template: CompiledTemplate,
  userId: string,
  state: TemplateState | null,
  nowMs: number,
): UserTemplateState => {
  const { pities, next, ...view } = viewState(template, state, nowMs);
  const nameOf = (tier: string | null): string | null =>
    template.tiers.all.find(({ optionId }) => optionId === tier)?.name ?? null;
  return {
    ...{ templateId: template.id, userId, ...view },
    pities: pities.map(({ tier, since }) => ({ tier, tierName: nameOf(tier), since })),
    next: next.map(({ tier, rate }) => ({ tier, tierName: nameOf(tier), rate })),
  };
};

const giftOf = ({ item, values }: Pick<RollResult, 'item' | 'values'>): Gift => ({ itemId: item.id, values });

/** What a roll on a template reports in addition to the item and its values. */
const moreText = ({ tier, pity, featured }: RollResult, given: GiveResult | undefined): string =>
  `,"tier":${JSON.stringify(tier)},"pity":${pity},"featured":${featured}${given === undefined ? '' : giveResultText(given)}`;

/** Refuses a call whose results may become too long. The digits of values are not counted, which depend on luck. */
const requireShort = (
  finder: Finder,
  ready: ReadyTemplate,
  call: { readonly results: number; readonly count: number; readonly depth: number },
  limit: ResponseLimit,
): void => {
  if (call.results * ready.team.longestRoll() <= limit.length) return;
  if (longestResults(ready.template(), ready.longestItems(finder), call) > limit.length) throw limit.tooLong();
};

/** Rolls on a template. Returns JSON, since most of it consists of cached JSON. */
export const rollTemplate = async (
  work: Work,
  context: Context,
  id: string,
  request: TemplateRollRequest,
  deps: TemplateRollDeps,
  limit: ResponseLimit,
): Promise<string> => {
  const { userId, userSpaceId, grant = false, onFull, depth = 0, seed, offer = 0, count = 1, test = false } = request;
  const { nowMs } = context;
  const gives = grant || userSpaceId !== undefined;
  const placing = gives ? await deps.readyTemplates.forPlacing(work, id) : null;
  const ready = placing ?? (await deps.readyTemplates(work, id));
  const isVerifiable = ready.isVerifiable && !test;
  throwIfAny([...requestFaults(request, ready.type), ...(isVerifiable ? verifiableFaults(request) : [])]);
  const template = ready.template();
  checkOpen(template, nowMs);
  const salted = isVerifiable ? deps.salts.of(work, ready) : null;
  throwIfAny(depthFaults(template, depth).map(({ path, message }) => ({ path: `/body${path}`, message })));

  // A seeded run neither reads nor changes counters, whoever it is for.
  const isStateful = userId !== undefined && seed === undefined;
  const { currencyIds } = gives ? ready.givable() : { currencyIds: [] };
  const [[held, user, receiver, owned, epoch], seen] = await Promise.all([
    holdAll(
      work,
      isStateful ? holdTemplateState(work, userId, template) : null,
      userId === undefined || gives || isVerifiable ? null : holdKnownUser(work, context, userId),
      userId === undefined || placing === null
        ? null
        : holdReceiver(work, context, { userId, userSpaceId, onFull, cause: `template:${id}` }, placing.team),
      userId === undefined || currencyIds.length === 0
        ? null
        : holdWallet(work, context, userId, currencyIds, ready.team),
      userId === undefined || salted === null ? null : holdEpoch(work, userId, salted, deps),
    ),
    userId === undefined || isStateful ? null : findTemplateState(work, userId, template),
  ]);
  const before = held?.state ?? null;
  const atMs = timeOfNext(epoch?.seeds ?? null, nowMs);
  // Whatever may refuse the roll comes before the draws, and looks at the pool alone.
  const results = resultsOf(template, before, { count, nowMs: atMs });
  const room = receiver?.requireRoom(results, ready.givable(), owned?.wallet);
  requireShort(work, ready, { results, count, depth }, limit);
  const verifiable = epoch && beginRoll(work, context, epoch);
  const drawsOf = (roll: number): Draws =>
    seed === undefined ? (verifiable?.draws ?? deps.draws) : seededDraws(seed, template.id, depth, offer + roll);
  const { results: rolled, state: after } = rollByRules(template, before, { count, depth, drawsOf, nowMs: atMs });
  const given = room?.give(rolled.map(giftOf));
  if (receiver !== null) owned?.wallet.save(receiver.user);
  const fairness = verifiable?.leaveReceipt({
    kind: 'roll',
    request: receiptRequest(template.type, count, depth),
    before,
    after,
    results: rolled.map(templateRow),
  });
  if (!test)
    recordRolls(work, {
      version: ready.team.version,
      templateId: id,
      user: receiver?.user ?? epoch?.user ?? user ?? null,
      nowMs,
      requestId: context.requestId,
      rolled,
      details: { outcomes: rolled, before, after, fairness },
      // A seed gives the same offers every time, so they say nothing about the odds.
      observe: seed === undefined ? (observe) => ready.observer()(before?.pity ?? null, rolled, depth, observe) : null,
    });
  if (after !== null) held?.save(after);
  const rolls = rolled.map((result, index) => ready.team.rollText(result, moreText(result, given?.[index])));
  const state = userId === undefined ? null : showState(template, userId, after ?? seen, atMs);
  return `{"templateId":${JSON.stringify(id)},"userId":${JSON.stringify(userId ?? null)},"rolls":[${rolls.join(',')}],"state":${JSON.stringify(state)}${fairnessText(fairness)}}`;
};

export const sparkTemplate = async (
  work: Work,
  context: Context,
  id: string,
  { userId, itemId, userSpaceId, onFull }: SparkRequest,
  deps: TemplateRollDeps,
): Promise<Spark> => {
  const ready = await deps.readyTemplates.forPlacing(work, id);
  const template = ready.template();
  checkOpen(template, context.nowMs);
  const fault = sparkFault(template, itemId);
  if (fault === 'no-spark') throw invalid({ path: '/path/id', message: 'has no spark configured' });
  if (fault === 'not-featured')
    throw invalid({ path: '/body/itemId', message: 'is not a featured item of this template' });

  const salted = ready.isVerifiable ? deps.salts.of(work, ready) : null;
  const currencyIds = ready.team.catalog.currencies.has(itemId) ? [itemId] : [];
  const [held, receiver, owned, epoch] = await holdAll(
    work,
    holdTemplateState(work, userId, template),
    holdReceiver(work, context, { userId, userSpaceId, onFull, cause: `spark:${id}` }, ready.team),
    currencyIds.length === 0 ? null : holdWallet(work, context, userId, currencyIds, ready.team),
    salted === null ? null : holdEpoch(work, userId, salted, deps),
  );
  const after = paySpark(template, held.state);
  if (after === null)
    throw conflict({
      path: '/body/userId',
      message: `costs ${template.sparkCost} points, and the user has ${held.state.own.sparkPoints}`,
    });
  const largest = currencyIds.length > 0 ? null : itemOf(ready.team, itemId);
  const room = receiver.requireRoom(1, { largest, currencyIds }, owned?.wallet);
  const verifiable = epoch && beginRoll(work, context, epoch);
  const item = rollSpark(template, itemId, verifiable?.draws ?? deps.draws);
  if (item === undefined) throw new Error(`The featured item ${itemId} is not in the pool.`);
  const [given] = room.give([giftOf(item)]) as [GiveResult];
  owned?.wallet.save(receiver.user);
  const fairness = verifiable?.leaveReceipt({
    kind: 'spark',
    request: { itemId },
    before: held.state,
    after,
    results: [sparkRow(item)],
  });
  held.save(after);
  return {
    templateId: id,
    userId,
    itemInstance: given.itemInstance,
    ...(given.balance !== undefined && { balance: given.balance }),
    state: showState(template, userId, after, context.nowMs),
    ...(fairness !== undefined && { fairness }),
  };
};

export const getUserTemplateState = async (
  finder: Finder,
  context: Context,
  { userId, id }: { userId: string; id: string },
  deps: TemplateRollDeps,
): Promise<UserTemplateState> => {
  await getUser(finder, userId);
  const template = (await deps.readyTemplates(finder, id)).template();
  return showState(template, userId, await findTemplateState(finder, userId, template), context.nowMs);
};

/** Rejects a depth that a template does not have. */
const checkDepth = (template: CompiledTemplate, depth: number | undefined, path: string): void => {
  if (depth === undefined) return;
  if (template.type !== 'roguelike') throw invalid({ path, message: 'is for roguelike templates only' });
  throwIfAny(depthFaults(template, depth).map(({ message }) => ({ path, message })));
};

/** The odds of a template as JSON, computed outside of any transaction. */
export const getTemplateOdds = async (
  read: Read,
  { teamId }: Context,
  { id, depth }: { readonly id: string; readonly depth?: number },
  { readyTemplates, previews }: TemplateRollDeps,
  signal: AbortSignal,
): Promise<string[]> => {
  const ready = await read(teamId, (reader) => readyTemplates(reader, id));
  if (depth !== undefined) checkDepth(ready.template(), depth, '/query/depth');
  const odds =
    depth === undefined || depth === 0
      ? ready.odds
      : previews(ready.team, teamId, JSON.stringify([id, depth]), atDepth(ready.template(), depth), CONFIG_PATH);
  return [`{"templateId":${JSON.stringify(id)},`, ...(await odds(signal)), '}'];
};

/** The odds that a configuration would have if it were saved, as JSON. */
export const previewTemplateOdds = async (
  read: Read,
  { teamId }: Context,
  { depth, draftId, ...request }: OddsRequest,
  deps: TemplateRollDeps,
  signal: AbortSignal,
): Promise<(string | Uint8Array)[]> => {
  const subject = subjectOf(request);
  if (draftId !== undefined) {
    const members = await oddsInDraft(read, teamId, { draftId, depth, subject }, deps, signal);
    return ['{', members, '}'];
  }
  const { team, template, source } = await read(teamId, (reader) => findLive(reader, subject, deps));
  checkDepth(template, depth, '/body/depth');
  const key = JSON.stringify([subject, depth ?? 0]);
  const odds = deps.previews(team, teamId, key, atDepth(template, depth ?? 0), CONFIG_PATH);
  const warnings = adviceOn(source, template);
  const more = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  return ['{', ...(await odds(signal)), `${more}}`];
};
