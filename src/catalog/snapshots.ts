import {
  type ConfigSnapshot,
  configText,
  plainPoolText,
  type SnapshotCatalog,
  templatePoolText,
} from '../engine/fairness/snapshots.ts';
import type { Steps } from '../engine/steps.ts';
import type { CompiledTemplate, TemplateSource } from '../engine/systems/templates.ts';
import { digestOf } from '../shared/digest.ts';
import { LIMITS } from '../shared/limits.ts';

/** The hashes of everything that decides a roll. */
export interface Identity {
  readonly config: string;
  readonly pool: string;
}

/** An identity, with the texts that have these hashes. */
export interface Snapshots extends Identity {
  readonly configText: string;
  readonly poolText: string;
}

/** Stands for rolls without a template. */
export const PLAIN = '';

const PLAIN_SOURCE = { id: PLAIN, type: 'plain', config: {}, bindings: {} } as const;

/** What decides a roll, on a template or without one; null if the pool is too large to be kept. */
export function* snapshotsOf(
  catalog: SnapshotCatalog,
  subject: { readonly template: CompiledTemplate; readonly source: TemplateSource } | null,
): Steps<Snapshots | null> {
  const limit = LIMITS.snapshotLength;
  const pool = yield* subject === null
    ? plainPoolText(catalog, limit)
    : templatePoolText(catalog, subject.template, subject.source, limit);
  yield;
  if (pool === null) return null;
  const poolText = pool.join('');
  const poolHash = digestOf(poolText);
  const { id: templateId, type, config, bindings } = subject?.source ?? PLAIN_SOURCE;
  const snapshot: ConfigSnapshot = { templateId, type, config, bindings, pool: poolHash };
  const text = configText(snapshot);
  return { pool: poolHash, poolText, config: digestOf(text), configText: text };
}
