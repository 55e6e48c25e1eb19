/** Proofs for tests: the published one, and others that an honest or dishonest service might make. */
import { readFileSync } from 'node:fs';
import { bytesOfHex, hexOf } from '../src/engine/fairness/bytes.ts';
import { verifiableDraws } from '../src/engine/fairness/draws.ts';
import {
  type AnyReceipt,
  EDITION,
  manifestEntry,
  manifestText,
  NO_PREVIOUS,
  PLAIN_SCOPE,
  plainRow,
  type ResultRow,
  type RollReceipt,
  type RollReceiptRequest,
  type RotateReceipt,
  receiptText,
  type SparkReceipt,
  scopeOf,
  sparkRow,
  templateRow,
} from '../src/engine/fairness/receipts.ts';
import { hashOfText, sha256 } from '../src/engine/fairness/sha256.ts';
import { configText, plainPoolText, type SnapshotCatalog, templatePoolText } from '../src/engine/fairness/snapshots.ts';
import { type CatalogItem, type CatalogOption, compileCatalog } from '../src/engine/pool/catalog.ts';
import { compilePool, rollItem } from '../src/engine/pool/pool.ts';
import type { Draws } from '../src/engine/random.ts';
import { allAtOnce } from '../src/engine/steps.ts';
import { bindTiers } from '../src/engine/systems/binding.ts';
import type { TemplateConfig, TemplateType } from '../src/engine/systems/config.ts';
import { paySpark, rollSpark, rollTemplate } from '../src/engine/systems/rolling.ts';
import { initialState, type OwnState, type PityState, type TemplateState } from '../src/engine/systems/state.ts';
import { type CompiledTemplate, compileTemplate } from '../src/engine/systems/templates.ts';

/** Anything in a receipt can be changed by whoever makes a proof. */
type Changeable<T> = T extends object ? { -readonly [K in keyof T]: Changeable<T[K]> } : T;

export type TestReceipt = Changeable<AnyReceipt>;
export type TestRotation = Changeable<RotateReceipt>;
export type TestCall = Changeable<RollReceipt | SparkReceipt>;
export interface TestProof {
  v: number;
  epoch?: number | 'all';
  from?: number;
  receipts: TestReceipt[];
  snapshots: Record<string, string>;
}

interface Vectors {
  readonly serverSeed: string;
  readonly held: readonly string[];
  readonly receiptHash: string;
  readonly proof: TestProof;
}

/** The published vectors. Read anew each time, so that tests may change what they get. */
export const fairnessVectors = (): Vectors =>
  JSON.parse(readFileSync(new URL('fixtures/fairness-vectors.json', import.meta.url), 'utf8'));

export const hashOfReceipt = (receipt: TestReceipt): string => hashOfText(receiptText(receipt as AnyReceipt));

export const rotationOf = ({ receipts }: TestProof, epoch: number): TestRotation =>
  receipts.find(
    (receipt): receipt is TestRotation => receipt.kind === 'rotate' && receipt.epoch === epoch,
  ) as TestRotation;

export const callOf = ({ receipts }: TestProof, epoch: number, nonce: number): TestCall =>
  receipts.find(
    (receipt): receipt is TestCall => receipt.kind !== 'rotate' && receipt.epoch === epoch && receipt.nonce === nonce,
  ) as TestCall;

/** What a service would do that hides a change: every link is computed again, in the order of the proof. */
export const relink = ({ receipts }: TestProof): void => {
  let rotation = NO_PREVIOUS;
  let [count, head] = [0, NO_PREVIOUS];
  for (const receipt of receipts) {
    if (receipt.kind === 'rotate') {
      Object.assign(receipt, { previous: rotation, count, head });
      rotation = hashOfReceipt(receipt);
      [count, head] = [0, rotation];
    } else {
      Object.assign(receipt, { nonce: count, previous: head });
      count += 1;
      head = hashOfReceipt(receipt);
    }
  }
};

/** Adds a snapshot, and returns its hash. */
export const addSnapshot = (proof: TestProof, text: string): string => {
  const hash = hashOfText(text);
  proof.snapshots[hash] = text;
  return hash;
};

/** A template of a history. */
export interface TestTemplate {
  readonly id: string;
  readonly type: TemplateType;
  readonly config: TemplateConfig;
}

interface HistorySource {
  readonly options: readonly CatalogOption[];
  readonly items: readonly CatalogItem[];
  readonly templates: readonly TestTemplate[];
  /** Whatever the server seeds are made of. */
  readonly secret?: string;
  /** Or the seeds themselves, in hex. */
  readonly seedOf?: (epoch: number) => string;
  readonly player?: { readonly teamId: string; readonly userId: string };
  readonly startsAtMs?: number;
}

/** An honest service with a single player. */
export interface TestHistory {
  rotate(clientSeed: string): void;
  /** From the next rotation on. */
  configure(templates: readonly TestTemplate[]): void;
  wait(ms: number): void;
  /** A plain roll if the template is ''. */
  roll(templateId: string, request?: RollReceiptRequest): void;
  spark(templateId: string, itemId: string): void;
  /** What a single roll would give now: whoever runs the service can know. */
  foresee(templateId: string): ResultRow[];
  proof(): TestProof;
}

interface Fixed {
  readonly hash: string;
  readonly salt: string;
  readonly pool: string;
  readonly template: CompiledTemplate | null;
}

/** Plays by the rules of the engine, and leaves receipts as the documentation of fairness says. */
export const playHistory = ({
  options,
  items,
  templates,
  secret = 'secret',
  seedOf = (epoch) => hashOfText(`${secret} ${epoch}`),
  player = { teamId: 'team', userId: 'player' },
  startsAtMs = Date.UTC(2027, 0, 1),
}: HistorySource): TestHistory => {
  const catalog = compileCatalog(options, items);
  const source: SnapshotCatalog = {
    catalog,
    rollNumeratorOf: ({ id }) => items.find((item) => item.id === id)?.rollNumerator ?? 0,
  };
  const proof: TestProof = { v: EDITION, epoch: 'all', from: 0, receipts: [], snapshots: {} };
  const pities = new Map<string, PityState>();
  const owns = new Map<string, OwnState>();
  let configured = templates;
  let fixed = new Map<string, Fixed>();
  let [epoch, rotation, clientSeed] = [-1, NO_PREVIOUS, ''];
  let [count, head] = [0, NO_PREVIOUS];
  let nowMs = startsAtMs;

  const saltOf = (templateId: string, config: string): string => hashOfText(`salt of ${templateId} ${config}`);
  const commitmentOf = (number: number): string => hexOf(sha256(bytesOfHex(seedOf(number))));
  const shared = () => {
    nowMs += 1000;
    return { v: EDITION, ...player, at: new Date(nowMs).toISOString(), epoch } as const;
  };
  const fix = ({ id, type, config }: TestTemplate): Fixed => {
    const { bindings } = bindTiers(type, config, catalog);
    const { template, faults } = compileTemplate({ id, type, config, bindings }, catalog);
    if (template === null) throw new Error(JSON.stringify(faults));
    const pool = addSnapshot(
      proof,
      allAtOnce(templatePoolText(source, template, { config, bindings }))?.join('') ?? '',
    );
    const hash = addSnapshot(proof, configText({ templateId: id, type, config, bindings, pool }));
    return { hash, salt: saltOf(id, hash), pool, template };
  };
  const fixPlain = (): Fixed => {
    const pool = addSnapshot(proof, allAtOnce(plainPoolText(source))?.join('') ?? '');
    const text = configText({ templateId: '', type: 'plain', config: {}, bindings: {}, pool });
    const hash = addSnapshot(proof, text);
    return { hash, salt: saltOf('', hash), pool, template: null };
  };

  const stateOf = (templateId: string, template: CompiledTemplate | null): TemplateState => {
    const scope = template === null ? PLAIN_SCOPE : scopeOf(templateId, template.pityGroup);
    return { pity: pities.get(scope) ?? initialState().pity, own: owns.get(templateId) ?? initialState().own };
  };
  const drawsOfNext = () =>
    verifiableDraws({ ...player, serverSeed: bytesOfHex(seedOf(epoch)), clientSeed, nonce: count });

  const call = (
    templateId: string,
    kind: 'roll' | 'spark',
    request: object,
    run: (found: Fixed, before: TemplateState, draws: Draws) => { rows: ResultRow[]; after: TemplateState | null },
  ): void => {
    const found = fixed.get(templateId) as Fixed;
    const { hash: config, salt, pool, template } = found;
    const scope = template === null ? PLAIN_SCOPE : scopeOf(templateId, template.pityGroup);
    const [nonce, previous] = [count, head];
    const before = stateOf(templateId, template);
    const common = shared();
    const { draws, used } = drawsOfNext();
    const { rows, after } = run(found, before, draws);
    const receipt = {
      ...common,
      ...{ kind, scope, nonce, previous, templateId, config, salt, pool, request },
      ...{ before: template === null ? null : before, results: rows, after, draws: used() },
    } as TestCall;
    proof.receipts.push(structuredClone(receipt));
    count += 1;
    head = hashOfReceipt(receipt);
    if (after === null) return;
    pities.set(scope, after.pity);
    owns.set(templateId, after.own);
    if (template?.pityGroup) pities.delete(scopeOf(templateId, null));
  };

  return {
    rotate: (seed) => {
      epoch += 1;
      fixed = new Map([['', fixPlain()], ...configured.map((template) => [template.id, fix(template)] as const)]);
      const receipt: RotateReceipt = {
        ...shared(),
        kind: 'rotate',
        previous: rotation,
        clientSeed: seed,
        commitment: commitmentOf(epoch),
        nextCommitment: commitmentOf(epoch + 1),
        revealed: epoch === 0 ? null : seedOf(epoch - 1),
        manifest: addSnapshot(
          proof,
          manifestText([...fixed].map(([id, { hash, salt }]) => manifestEntry(id, hash, salt))),
        ),
        ...{ count, head },
      };
      proof.receipts.push(structuredClone(receipt) as TestRotation);
      rotation = hashOfText(receiptText(receipt));
      clientSeed = seed;
      [count, head] = [0, rotation];
    },
    configure: (changed) => {
      configured = changed;
    },
    wait: (ms) => {
      nowMs += ms;
    },
    roll: (templateId, request = {}) =>
      call(templateId, 'roll', request, ({ template }, before, draws) => {
        const { classifierOptionIds, count: times = 1, depth = 0 } = request;
        if (template === null) {
          const rolled = rollItem(compilePool(catalog, { classifierOptionIds }), draws);
          return { rows: rolled === undefined ? [] : [plainRow(rolled)], after: null };
        }
        const { results, state } = rollTemplate(template, before, { count: times, depth, drawsOf: () => draws, nowMs });
        return { rows: results.map(templateRow), after: state };
      }),
    spark: (templateId, itemId) =>
      call(templateId, 'spark', { itemId }, ({ template }, before, draws) => {
        const rolled = template && rollSpark(template, itemId, draws);
        return { rows: rolled ? [sparkRow(rolled)] : [], after: template && paySpark(template, before) };
      }),
    foresee: (templateId) => {
      const { template } = fixed.get(templateId) as Fixed;
      if (template === null) return [];
      const { draws } = drawsOfNext();
      const before = stateOf(templateId, template);
      const { results } = rollTemplate(template, before, { count: 1, depth: 0, drawsOf: () => draws, nowMs });
      return results.map(templateRow);
    },
    proof: () => structuredClone(proof),
  };
};
