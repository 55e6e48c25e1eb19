import { once } from '../once.ts';
import type { Catalog } from '../pool/catalog.ts';
import { allAtOnce, type Steps } from '../steps.ts';
import { type Bindings, bindTiers } from './binding.ts';
import { compileCardPack, type PackPlan } from './card-pack/card-pack.ts';
import { chancesOfPacks, type PackChances } from './card-pack/pack-counts.ts';
import type { TemplateConfig, TemplateType, TypedConfig } from './config.ts';
import { type Fault, listFaults } from './faults.ts';
import { compileGacha, type GachaRules } from './gacha/gacha.ts';
import { compileIdle, type IdleRules } from './idle/idle.ts';
import { compileRoguelike, offerPlan, type RoguelikeRules, rulesAtDepth } from './roguelike/roguelike.ts';
import type { CompileContext, Tiers } from './tiers.ts';

/** When a template can be rolled on, in milliseconds since 1970; the caller parses `startsAt` and `endsAt`. */
export interface Period {
  readonly startsAtMs: number | null;
  readonly endsAtMs: number | null;
}

interface Compiled extends Period {
  readonly id: string;
  readonly tiers: Tiers;
  /** Price of a featured item in points; 0 without spark. */
  readonly sparkCost: number;
  /** Templates of one group share the pity part of a user's state. */
  readonly pityGroup: string | null;
}

export type CompiledGacha = Compiled & { readonly type: 'gacha'; readonly rules: GachaRules };
export type CompiledIdle = Compiled & { readonly type: 'idle'; readonly rules: IdleRules };
interface Packed {
  /** For offers, at depth 0. Computed on first use, since rolling does not need it. */
  readonly chances: () => PackChances;
}
export type CompiledCardPack = Compiled & Packed & { readonly type: 'card_pack'; readonly rules: PackPlan };
export type CompiledRoguelike = Compiled & Packed & { readonly type: 'roguelike'; readonly rules: RoguelikeRules };
export type CompiledTemplate = CompiledGacha | CompiledIdle | CompiledCardPack | CompiledRoguelike;

export interface TemplateSource extends Partial<Period> {
  readonly id: string;
  readonly type: TemplateType;
  readonly config: TemplateConfig;
  readonly bindings: Bindings;
}

export type CompiledOrFaults =
  | { readonly template: CompiledTemplate; readonly faults: readonly [] }
  | { readonly template: null; readonly faults: readonly Fault[] };

type SystemOf<T> = T extends Compiled ? Omit<T, keyof Compiled> : never;

function* compileSystem({ type, config }: TypedConfig, context: CompileContext): Steps<SystemOf<CompiledTemplate>> {
  switch (type) {
    case 'gacha':
      return { type, rules: yield* compileGacha(config, context) };
    case 'idle':
      return { type, rules: yield* compileIdle(config, context) };
    case 'card_pack': {
      const rules = yield* compileCardPack(config, context);
      return { type, rules, chances: once(() => chancesOfPacks(rules)) };
    }
    case 'roguelike': {
      const rules = yield* compileRoguelike(config, context);
      return { type, rules, chances: once(() => chancesOfPacks(offerPlan(rules, 0))) };
    }
  }
}

/** Compiles a template against a catalog, or returns all errors: the same messages when saving and when rolling. */
export function* compileTemplateInSteps(source: TemplateSource, catalog: Catalog): Steps<CompiledOrFaults> {
  const { id, type, config, bindings, startsAtMs = null, endsAtMs = null } = source;
  const faults = listFaults();
  const system = yield* compileSystem({ type, config } as TypedConfig, { catalog, bindings, faults });
  if (startsAtMs !== null && endsAtMs !== null && endsAtMs <= startsAtMs)
    faults.add(['endsAt'], 'must be after startsAt');
  if (faults.found.length > 0) return { template: null, faults: faults.found };
  const sparkCost = config.sparkCurrency ?? 0;
  const pityGroup = 'pityGroup' in config ? (config.pityGroup ?? null) : null;
  const { tiers } = system.rules;
  return {
    template: { id, startsAtMs, endsAtMs, tiers, sparkCost, pityGroup, ...system } as CompiledTemplate,
    faults: [],
  };
}

export const compileTemplate = (source: TemplateSource, catalog: Catalog): CompiledOrFaults =>
  allAtOnce(compileTemplateInSteps(source, catalog));

/** A template whose odds at depth 0 are those of another at a depth. Only offers have one. */
export const atDepth = (template: CompiledTemplate, depth: number): CompiledTemplate => {
  if (template.type !== 'roguelike' || depth === 0) return template;
  const rules = rulesAtDepth(template.rules, depth);
  return { ...template, tiers: rules.tiers, rules, chances: once(() => chancesOfPacks(offerPlan(rules, 0))) };
};

export type BoundOrFaults = CompiledOrFaults & { readonly bindings: Bindings };

/** Binds the names of a new configuration and compiles it: everything that saving a template needs. */
export function* bindTemplateInSteps(source: Omit<TemplateSource, 'bindings'>, catalog: Catalog): Steps<BoundOrFaults> {
  const { bindings, faults } = bindTiers(source.type, source.config, catalog);
  const compiled = yield* compileTemplateInSteps({ ...source, bindings }, catalog);
  if (faults.length === 0) return { ...compiled, bindings };
  // What could not be bound is reported once, by the binding, which knows why.
  const reported = new Set(faults.map(({ path }) => path));
  return {
    template: null,
    bindings,
    faults: [...faults, ...compiled.faults.filter(({ path }) => !reported.has(path))],
  };
}

export const bindTemplate = (source: Omit<TemplateSource, 'bindings'>, catalog: Catalog): BoundOrFaults =>
  allAtOnce(bindTemplateInSteps(source, catalog));
