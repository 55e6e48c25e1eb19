/** What the page and the game server say to each other. */
import type { PlayerFairness, PublicOdds, UserTemplateState } from './itemwright.ts';

export type Offered = 'banner' | 'chest';

export interface ItemView {
  readonly id: string;
  readonly name: string;
  /** The id of its rarity: `common` to `legendary`. */
  readonly rarity: string;
  readonly picture: string;
  /** In cells of the bag. */
  readonly width: number;
  readonly height: number;
}

/** Something to roll on: what the service publishes about it, its price, and the public page with its odds. */
export interface Offer extends PublicOdds {
  readonly cost: number;
  readonly oddsUrl: string;
}

/** What is the same for every player. */
export interface World {
  readonly items: readonly ItemView[];
  readonly bag: { readonly cols: number; readonly rows: number };
  readonly banner: Offer;
  readonly chest: Offer;
  /** The page on which players verify their rolls. */
  readonly verifyUrl: string;
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly rotated: boolean;
}

export interface AttributeValue {
  readonly name: string;
  readonly value: number;
}

export interface Belonging {
  readonly id: string;
  readonly itemId: string;
  /** Null if it lies on the pile. */
  readonly place: Place | null;
  readonly attributes: readonly AttributeValue[];
}

export interface Me {
  readonly name: string;
  /** What is left of today's allowance. */
  readonly embers: number;
  readonly allowance: number;
  readonly banner: UserTemplateState;
  readonly chest: UserTemplateState;
  readonly fairness: PlayerFairness;
  readonly belongings: readonly Belonging[];
}

export interface RollRequest {
  /** Made by the page, a new one for each click: the same key never rolls twice. */
  readonly key: string;
  readonly what: Offered;
  readonly count: number;
}

export interface RolledItem {
  readonly instanceId: string;
  readonly itemId: string;
  readonly isPity: boolean;
  readonly isFeatured: boolean;
  readonly isPlaced: boolean;
  readonly attributes: readonly AttributeValue[];
}

export interface Rolled {
  readonly key: string;
  readonly what: Offered;
  readonly items: readonly RolledItem[];
  /** The code that fixes the roll for ever, for the player to keep. */
  readonly receipt: string;
}

export interface SeedRequest {
  readonly clientSeed: string;
  /** The commitment and the manifest that the player saw before. */
  readonly commitment: string;
  readonly manifest: string;
}

export interface Fault {
  readonly message: string;
}
