/**
 * Every operation of the API by the name of its method here; the types of the methods are generated from this table and
 * from `openapi.json`. `{body}` and `{query}` say what a method takes after the parameters of its path.
 *
 * Beside HTTP methods there are `LIST`, a GET that returns a list in pages; `ASK`, a POST that changes nothing and
 * therefore needs no `Idempotency-Key`; and `ONCE`, a POST that takes no key and must not be repeated. What may take
 * minutes is `long`.
 */
export const OPERATIONS = {
  service: {
    health: 'GET /healthz',
    readiness: 'GET /readyz',
  },
  team: {
    get: 'GET /team',
    update: 'PUT /team {body}',
    events: 'GET /team/events',
    updateEvents: 'PUT /team/events {body}',
  },
  secrets: {
    create: 'ONCE /secrets {body}',
    list: 'GET /secrets',
    revoke: 'DELETE /secrets/{id}',
  },
  attributes: {
    create: 'POST /attributes {body}',
    list: 'LIST /attributes',
    get: 'GET /attributes/{id}',
    update: 'PUT /attributes/{id} {body}',
    delete: 'DELETE /attributes/{id}',
  },
  classifiers: {
    create: 'POST /classifiers {body}',
    list: 'LIST /classifiers',
    get: 'GET /classifiers/{id}',
    update: 'PUT /classifiers/{id} {body}',
    delete: 'DELETE /classifiers/{id}',
  },
  items: {
    create: 'POST /items {body}',
    list: 'LIST /items',
    get: 'GET /items/{id}',
    update: 'PUT /items/{id} {body}',
    delete: 'DELETE /items/{id}',
    roll: 'POST /items/roll {body}',
    odds: 'GET /items/odds',
  },
  templates: {
    create: 'POST /templates {body}',
    list: 'LIST /templates',
    listOfType: 'LIST /templates/type/{type}',
    get: 'GET /templates/{id}',
    update: 'PUT /templates/{id} {body}',
    delete: 'DELETE /templates/{id}',
    roll: 'POST /templates/{id}/roll {body}',
    spark: 'POST /templates/{id}/spark {body}',
    odds: 'GET /templates/{id}/odds {query}',
    oddsHistory: 'LIST /templates/{id}/odds/history',
    previewOdds: 'ASK /templates/odds {body} long',
    simulate: 'ASK /templates/simulate {body} long',
  },
  spaces: {
    create: 'POST /spaces {body}',
    list: 'LIST /spaces',
    get: 'GET /spaces/{id}',
    update: 'PUT /spaces/{id} {body}',
    delete: 'DELETE /spaces/{id}',
    userSpaces: 'LIST /spaces/{id}/user-spaces',
  },
  users: {
    create: 'POST /users {body}',
    list: 'LIST /users',
    get: 'GET /users/{userId}',
    delete: 'DELETE /users/{userId}',
    deleteByQuery: 'DELETE /users {query}',
    templateState: 'GET /users/{userId}/templates/{id}',
    rolls: 'LIST /users/{userId}/rolls',
    receipts: 'LIST /users/{userId}/receipts',
    proof: 'GET /users/{userId}/proof {query}',
  },
  userSpaces: {
    create: 'POST /users/{userId}/spaces {body}',
    list: 'LIST /users/{userId}/spaces',
    get: 'GET /users/{userId}/spaces/{id}',
    delete: 'DELETE /users/{userId}/spaces/{id}',
    sort: 'POST /users/{userId}/spaces/{id}/sort {body}',
  },
  itemInstances: {
    create: 'POST /item-instances {body}',
    list: 'LIST /item-instances',
    get: 'GET /item-instances/{id}',
    delete: 'DELETE /item-instances/{id}',
    move: 'POST /item-instances/{id}/move {body}',
    takeOut: 'POST /item-instances/{id}/take-out {body}',
    transfer: 'POST /item-instances/{id}/transfer {body}',
    history: 'LIST /item-instances/{id}/history',
    batch: 'POST /item-instances/batch {body}',
  },
  itemInstanceSpaces: {
    list: 'LIST /item-instance-spaces',
  },
  fairness: {
    start: 'POST /users/{userId}/fairness',
    get: 'GET /users/{userId}/fairness',
    rotate: 'POST /users/{userId}/fairness/rotate {body}',
  },
  feed: {
    page: 'GET /events {query}',
  },
  rollEvents: {
    list: 'LIST /roll-events',
    stats: 'GET /roll-events/stats {query}',
    dropRates: 'GET /roll-events/drop-rates {query}',
    evidence: 'GET /roll-events/evidence {query}',
  },
  catalog: {
    get: 'GET /catalog {query}',
    plan: 'ASK /catalog/plan {body} long',
    publish: 'POST /catalog/publish {body} long',
    versions: 'LIST /catalog/versions',
    version: 'GET /catalog/versions/{version} {query}',
  },
  catalogDrafts: {
    create: 'POST /catalog/drafts {body}',
    list: 'GET /catalog/drafts',
    get: 'GET /catalog/drafts/{id}',
    update: 'PUT /catalog/drafts/{id} {body}',
    delete: 'DELETE /catalog/drafts/{id}',
    publish: 'POST /catalog/drafts/{id}/publish {body} long',
  },
  public: {
    odds: 'GET /public/{teamId}/templates/{id}/odds',
    history: 'GET /public/{teamId}/templates/{id}/history',
    snapshot: 'GET /public/{teamId}/snapshots/{hash}',
    log: 'GET /public/{teamId}/log',
    logConsistency: 'GET /public/{teamId}/log/consistency {query}',
    logInclusion: 'GET /public/{teamId}/log/inclusion {query}',
    logLeaves: 'GET /public/{teamId}/log/leaves {query}',
  },
} as const;
