import type { Formats } from './page-formats.presenter.ts';

export type System = 'gacha' | 'idle' | 'card_pack' | 'roguelike';

/** The title of a column, and the part of it that a narrow screen has no room for. */
export interface Heading {
  readonly text: string;
  readonly more: string;
}

/**
 * Everything that a page says, in one language. Texts that are passed in are HTML already: names, tiers, times. A *roll*
 * is what players call it in the system: a roll, a pack, an offer; a *result* is one item of it: a roll, a card, a choice.
 */
export interface Words {
  /** For `<html lang>`. */
  readonly tag: string;
  /** The name of the language in the language itself. */
  readonly language: string;
  readonly languages: string;
  /** What is between two sentences. */
  readonly gap: string;
  readonly formats: Formats;

  readonly pageTitle: (name: string) => string;
  readonly subtitle: (system: System) => string;

  readonly oneRoll: (system: System) => string;
  readonly contents: (system: System, cards: number, areDifferent: boolean) => string;
  readonly available: string;
  readonly always: string;
  readonly until: (time: string) => string;
  readonly from: (time: string) => string;
  readonly between: (start: string, end: string) => string;
  readonly inForceSince: string;
  readonly accrual: string;
  readonly accrues: (rollsPerHour: number, maxHours: number, maxRolls: number) => string;

  readonly tier: string;
  readonly allItems: string;
  readonly total: string;
  readonly never: string;
  readonly noLimit: string;
  readonly rolls: (system: System, count: number) => string;
  readonly chance: (system: System) => Heading;
  readonly overall: Heading;
  readonly average: (system: System) => Heading;
  readonly most: (system: System) => Heading;
  readonly inRoll: (system: System) => Heading;
  readonly half: string;
  readonly oddsByTier: string;
  readonly chanceNote: (system: System) => string;
  readonly overallNote: (system: System, helps: { pity: boolean; guarantee: boolean }) => string;
  readonly averageNote: (system: System) => string;
  readonly roundingNote: string;

  readonly oddsOfItems: string;
  readonly item: string;
  readonly featuredBadge: string;
  readonly itemsListed: (count: number) => string;
  readonly allItemsAsJson: (count: number) => string;
  readonly itemsTogether: (count: number) => string;

  readonly attributes: string;
  readonly attribute: string;
  readonly range: string;
  readonly valueCount: string;
  readonly chanceOfEach: string;
  readonly anyValue: string;
  readonly inSteps: (step: number) => string;
  readonly attributesNote: string;
  readonly attributesListed: (count: number) => string;
  readonly allAttributesAsJson: (count: number) => string;

  readonly pity: string;
  /** After so many misses, perhaps none, the next roll is certain to give the tier; a lower tier, or a rarer one. */
  readonly certain: (
    system: System,
    tier: string,
    pity: { misses: number; isTop: boolean; higherResets: boolean },
  ) => string;
  readonly rises: (system: System, roll: number) => string;
  readonly chanceOf: (tier: string) => string;
  readonly sinceLast: (system: System) => string;
  readonly chanceOnly: string;
  readonly atLeastOne: string;
  readonly showEach: (system: System) => string;
  readonly curve: (system: System, tier: string) => string;
  readonly firstRoll: (system: System) => string;
  readonly certainRoll: (system: System, roll: number) => string;
  readonly lowerPity: string;
  readonly countedAlone: string;
  /** With the names of the others, if they are public. */
  readonly countedInGroup: (others: string) => string;
  readonly countedInHiddenGroup: string;

  readonly featured: string;
  readonly featuredAre: (names: string) => string;
  readonly featuredMany: (count: number) => string;
  readonly featuredShare: (tier: string, share: string) => string;
  readonly guarantee: (tier: string, losses: number) => string;
  readonly spark: (system: System, points: number) => string;

  readonly cards: (system: System) => string;
  readonly card: (system: System) => string;
  readonly areDifferent: (system: System) => string;
  readonly depths: string;
  readonly depth: string;
  readonly deeper: (scaled: string) => string;
  readonly scaledBy: (tier: string, factor: number) => string;
  readonly depthsNote: string;

  readonly results: string;
  readonly nothingYet: string;
  readonly applied: (system: System, count: number) => string;
  readonly soFar: string;
  readonly promised: string;
  readonly noEvidence: string;
  readonly against: (evidence: number) => string;
  readonly alarm: (time: string) => string;
  readonly tooLittle: string;
  readonly compared: (system: System) => string;
  readonly everythingCounts: string;
  readonly rowsProveLittle: string;
  /** About all configurations that the template ever had; nothing to talk about, or the evidence. */
  readonly noneTogether: string;
  readonly allTogether: (evidence: number) => string;
  readonly forcedLeftOut: (system: System) => string;

  readonly announced: string;
  readonly announcedFrom: (time: string) => string;
  readonly now: string;
  readonly afterwards: string;
  readonly moreItemsChange: (count: number) => string;
  readonly announcedNote: string;

  readonly history: string;
  readonly historyFrom: string;
  readonly historyUntil: string;
  readonly historyOdds: string;
  readonly version: string;
  readonly configuration: string;
  readonly current: string;
  readonly notRollable: string;
  readonly notComputed: string;
  readonly earlierLeftOut: string;

  readonly catalogVersion: (version: number, config: string) => string;
  readonly computed: string;
  readonly asData: (odds: string, history: string) => string;
  readonly oddsLink: string;
  readonly historyLink: string;
}
