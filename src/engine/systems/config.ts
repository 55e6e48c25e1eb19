import type { PoolFilter } from '../pool/pool.ts';

/** The game systems. The documentation of rolls explains each member; these are only their types. */
export type TemplateType = 'gacha' | 'roguelike' | 'idle' | 'card_pack';

/** Maps a tier, by option id or name, to a rate relative to the sum of the rates. */
export type Rates = Readonly<Record<string, number>>;

export interface SoftPitySegment {
  readonly from: number;
  readonly add: number;
}

export interface TierPityConfig {
  readonly tier: string;
  readonly threshold: number;
  readonly softPity?: readonly SoftPitySegment[];
  readonly higherResets?: boolean;
}

/** Members of all four types. Times are handled by the caller: the engine reads no clock. */
export interface CommonConfig {
  readonly baseRates?: Rates;
  readonly pool?: PoolFilter;
  readonly pityThreshold?: number;
  readonly rateUpMultiplier?: number;
  readonly sparkCurrency?: number;
  readonly featuredItemIds?: readonly string[];
  readonly startsAt?: string;
  readonly endsAt?: string;
}

export interface GachaConfig extends CommonConfig {
  readonly pityTier?: string;
  readonly softPity?: readonly SoftPitySegment[];
  readonly pities?: readonly TierPityConfig[];
  readonly featuredShare?: number;
  readonly guaranteeAfterLosses?: number;
  readonly pityGroup?: string;
}

export interface IdleConfig extends GachaConfig {
  readonly rollsPerHour: number;
  readonly maxHours?: number;
}

export interface SlotConfig {
  readonly count: number;
  readonly rates?: Rates;
  readonly classifierOptionIds?: readonly string[];
}

export interface CardPackConfig extends CommonConfig {
  readonly slots?: readonly SlotConfig[];
  readonly unique?: boolean;
}

export interface RoguelikeConfig extends CommonConfig {
  readonly choices?: number;
  readonly depthScaling?: Readonly<Record<string, number>>;
}

export type TemplateConfig = GachaConfig | IdleConfig | CardPackConfig | RoguelikeConfig;

/** The type of a template with the corresponding configuration. */
export type TypedConfig =
  | { readonly type: 'gacha'; readonly config: GachaConfig }
  | { readonly type: 'idle'; readonly config: IdleConfig }
  | { readonly type: 'card_pack'; readonly config: CardPackConfig }
  | { readonly type: 'roguelike'; readonly config: RoguelikeConfig };
