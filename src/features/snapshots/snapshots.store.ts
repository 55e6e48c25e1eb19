import { ensureIn, lookup, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Reader } from '../../database/work.ts';

export const snapshotByHash = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  rowsOf('snapshots', { queries, teamId }, { hash }).select('text'),
);

export const keepSnapshot = ensureIn(
  'snapshots',
  { hash: 'text', text: 'text', is_public: 'integer' },
  { key: ['hash'] },
);

/** What players need to verify rolls is for everyone. */
export const publishSnapshot = updateIn('snapshots', { hash: 'text', is_public: 'integer' }, { key: ['hash'] });

/** Finds a snapshot without its text. */
export const keptHash = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  rowsOf('snapshots', { queries, teamId }, { hash }).select('hash'),
);

/** Finds a snapshot that is for everyone, without its text. */
export const publishedHash = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  rowsOf('snapshots', { queries, teamId }, { hash, is_public: 1 }).select('hash'),
);

export const publishedSnapshot = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  rowsOf('snapshots', { queries, teamId }, { hash, is_public: 1 }).select('text'),
);

/** The configuration of a template at a version: that of its last row up to there. */
export const configAt = lookup({ templateId: 'text', version: 'integer' }, (queries, teamId, { templateId, version }) =>
  rowsOf('template_versions', { queries, teamId }, { template_id: templateId })
    .select(['version', 'config'])
    .where('version', '<=', version)
    .orderBy('version', 'desc')
    .limit(1),
);

/** Up to which version of the catalog configurations were recorded. */
export const recordedVersion = lookup({}, (queries, teamId) =>
  rowsOf('noted_versions', { queries, teamId }).select('version'),
);

/** The configurations that can be rolled on now, as far as is recorded: each template's last one. */
export const selectInForce = (reader: Reader, templateId?: string) => {
  let query = rowsOf('template_versions', reader)
    .select(['template_id as templateId', 'version', 'config'])
    .where('config', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('template_versions as later')
            .select('later.version')
            .whereRef('later.team_id', '=', 'template_versions.team_id')
            .whereRef('later.template_id', '=', 'template_versions.template_id')
            .whereRef('later.version', '>', 'template_versions.version'),
        ),
      ),
    );
  if (templateId !== undefined) query = query.where('template_id', '=', templateId);
  return query.$narrowType<{ config: string }>().execute();
};

/** The versions that a configuration of a template began with: it may have come back. */
export const versionsOf = lookup({ templateId: 'text', config: 'text' }, (queries, teamId, { templateId, config }) =>
  rowsOf('template_versions', { queries, teamId }, { template_id: templateId, config }).select('version'),
);

/** The configurations of a template, the last one first. */
export const selectConfigs = (
  reader: Reader,
  templateId: string,
  { upTo, limit }: { upTo: number | undefined; limit: number },
) => {
  let query = rowsOf('template_versions', reader, { template_id: templateId })
    .select(['version', 'config'])
    .orderBy('version', 'desc')
    .limit(limit);
  if (upTo !== undefined) query = query.where('version', '<=', upTo);
  return query.execute();
};
