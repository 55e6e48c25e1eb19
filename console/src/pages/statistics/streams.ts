import { isWorthSaying } from '../../../../src/engine/evidence/words.ts';
import type { Schemas } from '../../api/client.ts';
import { type Stream, sourceName, type Verdict, verdictOf } from '../../parts/evidence.ts';

export type EvidenceRow = Schemas['EvidenceRow'];

export interface NamedStream {
  /** The hash of the configuration, which contains the template. */
  readonly key: string;
  readonly name: string;
  /** Whether the template has had another configuration since. */
  readonly isEarlier: boolean;
  readonly stream: Stream;
}

const URGENCY: Record<Verdict, number> = { alarm: 0, some: 1, none: 2 };

/** Named, and those with something to tell first; otherwise in the order of the service, the newest first. */
export const namedStreams = (
  streams: readonly Stream[],
  templates: readonly Schemas['Template'][],
): readonly NamedStream[] => {
  const seen = new Set<string | null>();
  return streams
    .map((stream) => {
      const isEarlier = seen.has(stream.templateId);
      seen.add(stream.templateId);
      const name = sourceName(stream.templateId, templates);
      return { key: stream.config, name, isEarlier, stream };
    })
    .toSorted((one, other) => URGENCY[verdictOf(one.stream)] - URGENCY[verdictOf(other.stream)]);
};

/** The rate that the odds promised, on average over all rolls. */
export const promisedRate = ({ expected, rolls }: EvidenceRow): number => expected / rolls;
export const actualRate = ({ hits, rolls }: EvidenceRow): number => hits / rolls;

export interface RowGroup {
  readonly kind: EvidenceRow['kind'];
  readonly rows: readonly EvidenceRow[];
}

const byEvidence = (one: EvidenceRow, other: EvidenceRow): number => other.evidence - one.evidence;

/** With much evidence first; the others as frequent as they are, since rare ones say little. */
const byItem = (one: EvidenceRow, other: EvidenceRow): number =>
  isWorthSaying(one.evidence) || isWorthSaying(other.evidence) ? byEvidence(one, other) : other.expected - one.expected;

/** Rows with much evidence first; the others stay in a known order, the rarest first. */
const byTier = (one: EvidenceRow, other: EvidenceRow): number =>
  isWorthSaying(one.evidence) || isWorthSaying(other.evidence)
    ? byEvidence(one, other)
    : promisedRate(one) - promisedRate(other);

/** Whether there was anything to decide: the only item of its tier always comes out. */
const isDecided = ({ rolls, hits, expected }: EvidenceRow): boolean =>
  rolls > 0 && !(hits === rolls && expected === rolls);

/** What can be told about a configuration, in the order in which it is decided. */
export const groupsOf = ({ rows }: Stream): readonly RowGroup[] =>
  (['tier', 'pity', 'featured', 'item'] as const)
    .map((kind) => ({
      kind,
      rows: rows.filter((row) => row.kind === kind && isDecided(row)).toSorted(kind === 'item' ? byItem : byTier),
    }))
    .filter((group) => group.rows.length > 0);

/** The row that speaks most clearly against the odds; undefined if none does alone. */
export const worstRow = ({ rows }: Stream): EvidenceRow | undefined => {
  const [worst] = rows.toSorted(byEvidence);
  return worst !== undefined && isWorthSaying(worst.evidence) ? worst : undefined;
};
