/** What the API of the catalog receives and returns, as far as the command line reads it. */
export const KINDS = ['attribute', 'classifier', 'space', 'item', 'template'] as const;
export type Kind = (typeof KINDS)[number];

export interface Attribute {
  readonly id: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
}

export interface Option {
  readonly id: string;
  readonly name: string;
  readonly dropRateMultiplier: number | null;
}

export interface Classifier {
  readonly id: string;
  readonly name: string;
  readonly classifierOptions: readonly Option[];
}

export interface Space {
  readonly id: string;
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
}

export interface ItemAttribute {
  /** Given by the service if left out. */
  readonly id?: string;
  readonly attributeId: string;
  readonly min: number;
  readonly max: number;
}

export interface Item {
  readonly id: string;
  readonly name: string;
  readonly thumbnail: string | null;
  readonly rollNumerator: number;
  readonly width: number;
  readonly height: number;
  readonly classifierOptionIds: readonly string[];
  readonly itemAttributes: readonly ItemAttribute[];
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: object;
  readonly bindings?: Readonly<Record<string, string>>;
  readonly verifiable?: boolean;
  readonly disclosure?: 'private' | 'public';
}

/** A whole catalog. */
export interface CatalogDocument {
  readonly formatVersion: number;
  readonly attributes: readonly Attribute[];
  readonly classifiers: readonly Classifier[];
  readonly spaces: readonly Space[];
  readonly items: readonly Item[];
  readonly templates: readonly Template[];
}

/** The list of a document that has the entities of a kind. */
export const LIST_OF = {
  attribute: 'attributes',
  classifier: 'classifiers',
  space: 'spaces',
  item: 'items',
  template: 'templates',
} as const satisfies Record<Kind, keyof CatalogDocument>;

/** An entity of any kind; what it contains depends on the kind, and on the release of the service. */
export type Entity = Readonly<Record<string, unknown>>;

export interface Change {
  readonly kind: Kind;
  readonly id: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly before: Entity | null;
  readonly after: Entity | null;
}

/** A fault or a warning. */
export interface Finding {
  readonly kind: Kind | null;
  readonly id: string | null;
  readonly path: string;
  readonly message: string;
}

/** A number before and after; null if there was or is none. */
export interface Pair {
  readonly before: number | null;
  readonly after: number | null;
}

export interface PoolOdds {
  readonly pool: string;
  readonly name: string;
  readonly tiers: readonly (Pair & { readonly tier: string | null; readonly name: string })[];
  readonly items: readonly (Pair & { readonly itemId: string; readonly itemName: string })[];
  /** Items that change, too, but are not listed. */
  readonly moreItems: number;
  readonly featuredMean: Pair | null;
  readonly worst: Pair | null;
}

/** What a plan and a version have in common. */
export interface Effect {
  readonly changes: readonly Change[];
  readonly odds?: readonly PoolOdds[];
  readonly oddsLeftOut?: readonly { readonly pool: string; readonly name: string }[];
}

export interface Plan extends Effect {
  readonly baseVersion: number;
  readonly faults: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly players?: { readonly withState: number };
}

interface VersionMembers {
  readonly version: number;
  readonly createdAt: string;
  readonly author: { readonly name: string };
  readonly source: string;
  readonly message: string | null;
}

export interface Version extends VersionMembers {
  /** How many entities it changed. */
  readonly changes: number;
}

export type VersionWithChanges = VersionMembers & Effect;

/** A body of a request to plan; with `baseVersion` and `message`, one to publish. */
export type PlanRequest =
  | (Partial<CatalogDocument> & { readonly merge?: true })
  | { readonly changes: readonly Pick<Change, 'kind' | 'id' | 'after'>[] }
  | { readonly rollbackTo: number };

/** A plan, and the request that it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly request: PlanRequest;
}

/** A template, or a configuration that is not saved, with what players do with it. */
export interface SimulationRequest {
  readonly templateId?: string;
  readonly type?: string;
  readonly config?: object;
  readonly players: number;
  readonly rolls: number;
  readonly seed: string;
  readonly depth?: number;
  readonly pricePerRoll?: number;
}

type Distribution = Readonly<Record<'mean' | 'p50' | 'p95' | 'max', number>>;

export interface SimulationTarget {
  readonly kind: 'tier' | 'featured' | 'item';
  readonly id: string | null;
  readonly first: Distribution | null;
  readonly each: Distribution | null;
  readonly perPlayer: Distribution;
  readonly cost: Distribution | null;
  readonly never: number;
}

export interface Simulation {
  readonly config: string;
  readonly targets: readonly SimulationTarget[];
  readonly pity: { readonly top: number; readonly hard: number; readonly soft: number; readonly guarantee: number };
}
