import { ensureIn, lookup, upsertInto } from '../../database/declarations.ts';

export const snapshotByHash = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  queries.selectFrom('snapshots').select('text').where('team_id', '=', teamId).where('hash', '=', hash),
);

/** The same hash always has the same text. */
export const ensureSnapshot = ensureIn('snapshots', { hash: 'text', text: 'text' }, { key: ['hash'] });

/** What players need to verify rolls is for everyone. */
export const publishSnapshot = upsertInto(
  'snapshots',
  { hash: 'text', text: 'text', is_public: 'integer' },
  { key: ['hash'] },
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

/** Up to which version of the catalog configurations were noted. */
export const notedVersion = lookup({}, (queries, teamId) =>
  queries.selectFrom('noted_versions').select('version').where('team_id', '=', teamId),
);
