import { ensureIn, lookup, updateIn } from '../../database/declarations.ts';
import type { Reader } from '../../database/work.ts';

export const snapshotByHash = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  queries.selectFrom('snapshots').select('text').where('team_id', '=', teamId).where('hash', '=', hash),
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
  queries.selectFrom('snapshots').select('hash').where('team_id', '=', teamId).where('hash', '=', hash),
);

/** Finds a snapshot that is for everyone, without its text. */
export const publishedHash = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  queries
    .selectFrom('snapshots')
    .select('hash')
    .where('team_id', '=', teamId)
    .where('hash', '=', hash)
    .where('is_public', '=', 1),
);

export const publishedSnapshot = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  queries
    .selectFrom('snapshots')
    .select('text')
    .where('team_id', '=', teamId)
    .where('hash', '=', hash)
    .where('is_public', '=', 1),
);

/** The configuration of a template at a version: that of its last row up to there. */
export const configAt = lookup({ templateId: 'text', version: 'integer' }, (queries, teamId, { templateId, version }) =>
  queries
    .selectFrom('template_versions')
    .select(['version', 'config'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('version', '<=', version)
    .orderBy('version', 'desc')
    .limit(1),
);

/** Up to which version of the catalog configurations were recorded. */
export const recordedVersion = lookup({}, (queries, teamId) =>
  queries.selectFrom('noted_versions').select('version').where('team_id', '=', teamId),
);

/** The configurations that can be rolled on now, as far as is recorded: each template's last one. */
export const selectInForce = ({ queries, teamId }: Reader, templateId?: string) => {
  let query = queries
    .selectFrom('template_versions')
    .select(['template_id as templateId', 'version', 'config'])
    .where('team_id', '=', teamId)
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
  queries
    .selectFrom('template_versions')
    .select('version')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('config', '=', config),
);

/** The configurations of a template, the last one first. */
export const selectConfigs = (
  { queries, teamId }: Reader,
  templateId: string,
  { upTo, limit }: { upTo: number | undefined; limit: number },
) => {
  let query = queries
    .selectFrom('template_versions')
    .select(['version', 'config'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .orderBy('version', 'desc')
    .limit(limit);
  if (upTo !== undefined) query = query.where('version', '<=', upTo);
  return query.execute();
};
