import type {
  AttributeEntity,
  CatalogChange,
  CatalogPlan,
  CatalogVersion,
  CatalogVersionWithChanges,
  ClassifierEntity,
  CatalogDocument as CompleteDocument,
  ItemEntity,
  PoolOddsChange,
  SpaceEntity,
  TemplateEntity,
} from '../../../packages/client/src/index.ts';

export type {
  Simulation,
  SimulationRequest,
  SimulationTarget,
} from '../../../packages/client/src/index.ts';

type Immutable<T> = T extends object ? { readonly [Member in keyof T]: Immutable<T[Member]> } : T;

export type Attribute = Immutable<AttributeEntity>;
export type Classifier = Immutable<ClassifierEntity>;
export type Option = Classifier['classifierOptions'][number];
export type Space = Immutable<SpaceEntity>;
export type Template = Immutable<TemplateEntity>;

type CompleteItem = Immutable<ItemEntity>;
type CompleteItemAttribute = CompleteItem['itemAttributes'][number];
/** The service gives it an id if it has none. */
export type ItemAttribute = Omit<CompleteItemAttribute, 'id'> & Partial<Pick<CompleteItemAttribute, 'id'>>;
export type Item = Omit<CompleteItem, 'itemAttributes'> & { readonly itemAttributes: readonly ItemAttribute[] };

/** A whole catalog. */
export type CatalogDocument = Omit<Immutable<CompleteDocument>, 'items'> & { readonly items: readonly Item[] };

export type Change = Immutable<CatalogChange>;
export type Kind = Change['kind'];
/** An entity of any kind; what it contains depends on the kind, and on the release of the service. */
export type Entity = NonNullable<Change['after']>;

export const KINDS = ['attribute', 'classifier', 'space', 'item', 'template'] as const satisfies Kind[];

/** The list of a document that has the entities of a kind. */
export const LIST_OF = {
  attribute: 'attributes',
  classifier: 'classifiers',
  space: 'spaces',
  item: 'items',
  template: 'templates',
} as const satisfies Record<Kind, keyof CatalogDocument>;

type CompletePlan = Immutable<CatalogPlan>;
/** A fault or a warning. */
export type Finding = CompletePlan['faults'][number];
export type PoolOdds = Immutable<PoolOddsChange>;
/** A number before and after; null if there was or is none. */
export type Pair = NonNullable<PoolOdds['worst']>;

/** What a plan and a version have in common. */
export interface Effect extends Partial<Pick<CompletePlan, 'odds' | 'oddsLeftOut'>> {
  readonly changes: readonly Change[];
}

export type Plan = Effect &
  Pick<CompletePlan, 'baseVersion' | 'faults' | 'warnings'> &
  Partial<Pick<CompletePlan, 'players'>>;

export type Version = Immutable<CatalogVersion>;
export type VersionWithChanges = Immutable<CatalogVersionWithChanges>;

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
