/** Every limit of the service. Contracts, services and documentation take their numbers from here. */
export const LIMITS = {
  // Contents of a request.
  bodyBytes: 1024 * 1024,
  bodyDepth: 64,
  /** Far more than any operation takes; a body of nothing but braces would have several times as many. */
  bodyValues: 50_000,
  /** For an invalid body with more values than this only the first problem is reported. */
  valuesCheckedThoroughly: 5000,
  /** Longer than any valid id, even with every character escaped, so that validation rejects it. */
  pathParameterLength: 16_384,
  /** The longest id has 191 characters of four bytes each; base64 adds a third. */
  cursorLength: 2048,
  /** Team and secret have at most 191 characters of four bytes each; base64 adds a third. */
  authorizationLength: 2100,
  timestampLength: 64,
  idLength: 191,
  nameLength: 191,
  thumbnailLength: 2048,
  descriptionLength: 2000,
  /** In UTF-8, as JSON. */
  itemDataBytes: 8 * 1024,
  instanceDataBytes: 4 * 1024,
  instanceDataDepth: 8,
  /** Members of an instance's data that one operation increments. */
  incrementsPerOperation: 100,
  requestIdLength: 191,
  reasonLength: 200,
  /** As it is sent: each character may take four bytes, each of them percent-encoded. */
  reasonHeaderLength: 2400,
  pageRows: 1000,
  /** For up to this many items, instances are looked up item by item; for more, all instances are scanned. */
  itemsLookedUp: 20,
  /** User spaces shown in a list of spaces: per space, and per page. */
  userSpacesPerListedSpace: 100,
  listedUserSpaces: 1000,
  /** Spaces whose user spaces are read at once. */
  listedSpacesRead: 50,
  listedIds: 1000,
  /** Entries of the roll log that are looked at for one page. */
  rollEventsScanned: 10_000,
  /** Read before it is known how large they are. */
  rollEventsReadFirst: 50,
  rollEventsShown: 100,
  /** Rows of an export that are read at once. */
  exportedRows: 200,
  /** By how much the time of a roll and the time in its id may differ. */
  rollEventsApartMs: 3_600_000,
  /** In one row of the feed; what a transaction says beyond that goes to further rows. */
  eventRowLength: 128 * 1024,
  /** Rows of the feed that are read at once, and how often for one page that finds nothing. */
  eventRowsRead: 16,
  eventReadsPerPage: 32,
  keepEventsDaysByDefault: 30,
  eventsPerPage: 1000,
  eventsPerPageByDefault: 100,
  /** How long a request for events may wait for the next one. */
  eventsWaitS: 25,
  /** How often a node looks for new events of a team while somebody waits for them. */
  eventsLookMs: 250,
  /** New events of a team get their places at once, but not more often than this. */
  eventsPassMs: 100,
  /** Streams of one process. Each gets a comment from time to time, and is cut off if it reads nothing for that long. */
  streams: 2000,
  streamCommentMs: 15_000,
  streamSlowMs: 30_000,
  issues: 100,
  /** For lists: a page ends early, with a `Link` to the next, once its rows have this many bytes. */
  responseBytes: 2 * 1024 * 1024,
  /** Characters of a long response that are created at once. */
  partLength: 64 * 1024,
  issuePathLength: 1000,

  // Teams and their catalogs.
  secretsPerTeam: 100,
  secretMinLength: 16,
  secretMaxLength: 191,
  optionsPerClassifier: 100,
  optionsPerItem: 100,
  attributesPerItem: 100,
  itemsPerTeam: 100_000,
  currenciesPerTeam: 100,
  /** Of a currency that a user has: far below 2^53, up to which numbers are exact. */
  balance: 10 ** 15,
  /** Prices at which a user has units of a currency. */
  lotsPerBalance: 100,
  consumedPerRequest: 100,
  grantReferenceLength: 200,
  grantSourceLength: 100,
  /** Entries of balances that are read at once for a report. */
  reportedEntries: 1000,
  moneyDigits: 12,
  itemSide: 20,
  spaceSide: 200,
  /** For whole catalogs and long lists of changes; the bodies of other operations are much smaller. */
  catalogBodyBytes: 64 * 1024 * 1024,
  /** A body of nothing but braces would need more memory than a worker has. */
  catalogBodyValues: 6_000_000,
  changesPerRequest: 10_000,
  draftsPerTeam: 100,
  /** How often a draft is rebased before it gives way to others who keep changing the catalog. */
  publicationAttempts: 20,
  versionMessageLength: 500,
  /** Why a scheduled draft could not be published. */
  failureLength: 2000,
  /** Items of a pool whose changed odds are listed; the others are counted. */
  listedOddsChanges: 1000,
  /** Users and instances that a plan counts at most. */
  countedInPlan: 100_000,
  /** Faults and warnings of a plan. */
  listedFindings: 1000,

  // Rolls and templates.
  operationsPerBatch: 100,
  rollsPerCall: 100,
  templateTiers: 100,
  templateItems: 1000,
  pityThreshold: 1000,
  softPitySegments: 100,
  guaranteeAfterLosses: 10,
  packSlots: 20,
  packCards: 20,
  offerChoices: 20,
  offerDepth: 1000,
  /** Templates of a team whose rolls are verifiable. */
  verifiableTemplates: 100,
  epochs: 2 ** 31 - 1,
  /** A kind and an id or name. */
  scopeLength: 200,
  /** Of a pool or a configuration. Templates beyond this cannot be verifiable or public, and no evidence is collected. */
  snapshotLength: 4 * 1024 * 1024,
  proofReceipts: 1000,
  proofLength: 16 * 1024 * 1024,
  /** Receipts that share a row. */
  receiptsPerRow: 16,
  /**
   * Characters of receipts that are stored with the end of a chain, which is written with every roll. On SQLite, a row of
   * more than 1,000 bytes would take a page more.
   */
  openReceiptsLength: 700,
  /** For computing the exact odds of a template; a step takes a few nanoseconds. */
  oddsSteps: 700_000_000,
  /** Points of a curve. That of exact odds ends with this roll, or as soon as it reaches this chance. */
  curve: { points: 200, rolls: 4000, chance: 0.999 },

  // Simulations of a template.
  simulatedPlayers: 1_000_000,
  simulatedRolls: 10_000,
  /** Of all players together. */
  simulatedItems: 10_000_000,
  simulationItemIds: 20,
  pricePerRoll: 1e12,
  /** One runs at a time, for this long at most. */
  simulationMs: 120_000,
  /** Those that run or wait. Teams share them and take turns: a single team may have 9, and leaves 8 to others. */
  simulationPlaces: 17,
  /** For a request, with all simulations that it may have to wait for. */
  simulationRequestMs: 17 * 120_000 + 30_000,
  /** Characters of a pool as text, which a thread gets all at once. */
  simulationPoolLength: 64 * 1024 * 1024,

  // What was configured when, and the evidence against it.
  /** Versions whose configurations are recorded at once, and their changes; if there are more, the older versions are skipped. */
  versionsPerRecording: 1000,
  changesPerRecording: 100_000,
  /** Of more versions than this, only configurations that were rolled on are kept, and the last ones. */
  versionsKeptWhole: 20,
  /** Before what was found is written: time, and characters of new snapshots. */
  recordingMs: 2000,
  recordedLength: 8 * 1024 * 1024,
  /** Configurations of a template on a page of its history. */
  listedConfigs: 20,
  /** For how many days what was observed of rolls is kept by day, so that a fault that began later is found. */
  evidenceDays: 400,
  /** Different states of counters, depths and slots that are counted per day. */
  evidenceClasses: 10_000,
  /** Days of observations that are read at once. */
  evidencePerRead: 50,
  /** Stronger evidence is reported as this. */
  evidence: 1e12,
  /** Configurations with evidence in one response, and rows of one of them: tiers, and the items with most evidence. */
  listedStreams: 100,
  evidenceRows: 1000,

  // What anyone may read about public templates.
  /** How long responses may be cached, and how often results are counted. */
  disclosureAgeS: 60,
  /** Configurations of a template in its public history. */
  disclosedVersions: 50,
  /** Items listed on the page of a template; there is no such limit for the odds as JSON. */
  disclosedItems: 1000,
  /** Templates of a pity group that are looked at to list the public ones. */
  disclosedGroup: 100,
  /** Significant digits of the shares in results: more would tell the exact number of rolls. */
  shareDigits: 4,

  // Caches.
  /** Public templates with all their texts, and characters of these in total. */
  keptDisclosures: 1000,
  keptDisclosuresLength: 64 * 1024 * 1024,
  prepared: { pool: 64, config: 8, odds: 8, change: 8, template: 10_000, identity: 10_000, identities: 2, salted: 200 },
  cachedItemTexts: 2000,
  verifiedHeaders: 10_000,
  throttledAddresses: 10_000,
  addressLength: 64,
  rateLimitedTeams: 10_000,
  cachedTeams: 1000,
  cachedItems: 1_000_000,
  cachedTimeTexts: 1000,
  /** Configurations that were in force, with the odds of their tiers. */
  cachedKeptOdds: 500,
  /** Whole catalogs as text, kept between plans: characters in total, and for how long. */
  keptCatalogsLength: 32 * 1024 * 1024,
  keptCatalogsMs: 60_000,
  bufferedLogLength: 64 * 1024,

  /** What visitors asked for and does not exist, and for how long that is remembered. */
  rememberedAbsences: 10_000,
  rememberedAbsenceMs: 1000,
  /** Snapshots that visitors read: how many, and their bytes in total. */
  keptSnapshots: 1000,
  keptSnapshotsBytes: 32 * 1024 * 1024,

  // Load that one process accepts. Teams share it: a single team may use half of the requests and bytes.
  connections: 8192,
  concurrentRequests: 2048,
  /** Total size of bodies that have not arrived completely. */
  arrivingBytes: 256 * 1024 * 1024,
  rateLimitPerSecond: 1_000_000,
  /** For requests without a valid secret, per address, unless it is set. */
  rateLimitPublicPerSecond: 200,
  /** Reads of visitors in the database: at once, and waiting. */
  publicReads: 2,
  waitingPublicReads: 512,
  /** Bodies of responses that clients have not read yet, and how much of that is left when some had to be cut off. */
  waitingResponseBytes: 256 * 1024 * 1024,
  waitingResponseShare: 7 / 8,
  /** What is shorter is not compressed. */
  compressedFromBytes: 1024,
  /** If more than this wait to be compressed, the next is sent as it is. */
  waitingCompressions: 8,
  /** Wrong secrets that an address may try: on one known team, and on unknown teams. */
  failedAttemptsOnTeam: { burst: 30, perSecond: 5 },
  failedAttemptsFromAddress: { burst: 100, perSecond: 20 },
  workers: 64,
  port: 65_535,

  // Work in threads: odds, and other slow computations.
  computeThreads: 4,
  /** Jobs that run or wait: in total, of which a single team may have half, and per team and kind. */
  computeJobs: 64,
  computeJobsPerTeam: 4,
  computeMs: 20_000,
  computeIdleMs: 30_000,
  computeHeapMib: 1024,
  /** Anything below this runs on the main thread: it takes a millisecond or two. */
  inlineSteps: 300_000,
  /** A template with at most this many items to consider is prepared in one go: it takes a few milliseconds. */
  inlineItems: 2000,
  /** Manifests that players' seeds were begun with. */
  cachedManifests: 1000,
  /** Keys of teams that a process remembers. */
  cachedTeamKeys: 10_000,
  /** Players whose draws a process remembers from the last verifiable roll. */
  cachedSeeds: 20_000,

  // Timeouts and intervals.
  /** For a request to arrive completely, then for its handling, and then for the client to receive the response. */
  requestTimeoutMs: 30_000,
  /** The same for plans and publications of the catalog, which may change a hundred thousand items. */
  catalogWorkMs: 120_000,
  /** How often to look for requests that take too long. */
  sweepMs: 1000,
  /** How often Node looks for requests that have not arrived in time. */
  requestTimeoutCheckMs: 5000,
  keepAliveMs: 72_000,
  /** Connections that the operating system may hold until the service accepts them; beyond them, a client tries again after a second or more. */
  waitingConnections: 4096,
  /** For open requests to finish once the service is told to stop. */
  stopTimeoutMs: 20_000,
  stopDelayMs: 600_000,
  /** While stopping, idle connections are closed after the first, incomplete requests after the second. */
  stopIdleMs: 100,
  stopArrivalMs: 5000,
  stopCheckMs: 20,
  /** For the database to close once every request has its response. */
  stopDatabaseMs: 1000,
  /** For background work to end. */
  stopChoresMs: 500,

  // How long things are kept.
  bufferedLogMs: 50,
  /**
   * A secret revoked on another node must be rejected within a second, so a verified header is valid for half of one.
   */
  verifiedHeaderMs: 500,
  /** A day is promised; the extra hour allows for clock differences between nodes. */
  storedResponseMs: 25 * 3_600_000,
  /** For the response to a request with an `Idempotency-Key`; longer ones are rejected before they have any effect. */
  storedResponseLength: 4 * 1024 * 1024,
  /** For rolls without a key. As of stored ones, it is decided before anything is drawn, from the items in the pool. */
  rollResponseLength: 64 * 1024 * 1024,
  /** A longer row would spill onto another page of an SQLite table that is clustered by key, however little of it. */
  compressedResponseLength: 768,
  preflightS: 600,
  /** The name of a console asset changes with its content; that of the icon does not. */
  consoleAssetS: 365 * 86_400,
  consoleIconS: 3600,
  snapshotAgeS: 365 * 86_400,

  /** For how long deleted item instances can be restored. */
  restoreDays: 30,
  /** A century; the maximum retention period of roll events and history. */
  keepDays: 36_500,

  // Background work, in steps short enough for requests to run in between.
  storedResponsesPerSweep: 500,
  rollEventsPerRemoval: 500,
  historyRowsPerRemoval: 250,
  /** After each step, deletion pauses for this many times as long as the step took. */
  removalRestFactor: 4,
  /** One of several nodes does a chore; another takes over if there was no progress for this long. */
  choreLeaseMs: 60_000,
  /** How often roll events and history are searched for expired rows. */
  removalPassMs: 6 * 3_600_000,
  /** Leaves that are added to the log of a team at once. */
  leavesPerHead: 2000,
  rollCountsPerFold: 2000,
  /** Fewer pending rows than this are added to the counters once a minute, more once a second. */
  rollCountsFoldedFrom: 32,
  /** Items whose counts statistics read at once, and sum up in one turn of the event loop. */
  countedItemsRead: 10_000,
  countedItemsPerTurn: 5000,
  /**
   * A chore pauses for this many times as long as it worked, however much there is to do. What is done for a team pauses
   * for that team alone, for this long at least; scheduled publications never pause.
   */
  choreRestFactor: 20,
  choreLeastRestMs: 500,
  /** After this long, a run of a chore for teams ends, to be continued by the next. */
  choreRunMs: 10_000,
  /** How often to look for drafts that are due, and when to try again to publish one. */
  draftLookMs: 1000,
  draftRetryMs: 1000,
  /** Teams whose drafts are published at the same time: one is written while the other is planned. */
  draftsAtOnce: 2,

  /** How long work may run before it yields to the event loop; no request may block others for more than 50 ms. */
  turnMs: 10,
  /** How long short work may run in each turn that long work has used up. */
  leastTurnMs: 2,
  /** How long work waits while new connections are accepted, one per turn. */
  connectMs: 20,
  /** Rows that are read or written between checks whether to yield. */
  rowsPerTurnCheck: 64,
  /** Rows of a list whose details are read at once; each may have a hundred options and a hundred attributes. */
  rowsPerDetails: 10,
  numeratorsPerRead: 5000,
  /** Bodies that are parsed on the event loop rather than by a worker. */
  inlineBodyBytes: 16 * 1024,
  /** Changes of a version that are read or written at once; each has an entity twice. */
  changesPerRead: 200,
  changesPerWrite: 100,
  /** Templates of a list that are read at once; each may have a configuration as large as a request. */
  templatesPerRead: 5,
  /** Rows of receipts; each has several. */
  receiptsPerRead: 20,
  /** Leaves of a log whose inclusion is shown at once: each takes a few dozen hashes. */
  inclusionsPerRead: 50,
  // Metrics.
  eventLoopResolutionMs: 10,
  eventLoopWindowMs: 15_000,
  /** For the other workers to send their metrics. */
  metricsGatherMs: 2000,

  // Retries.
  retryAfterS: 1,
  choreRetryMs: 10_000,

  // Traces.
  waitingSpans: 8192,
  tracesPerExport: 512,
  traceExportEveryMs: 2000,
  traceExportMs: 10_000,
  traceStopMs: 2000,
  traceWarnMs: 60_000,
  /** A worker that keeps crashing must not be restarted in a tight loop. */
  workerRestartMs: 1000,

  // Units of work: commands that share a transaction, and how often one is retried after collisions.
  groupCommands: 256,
  /** How often rows of a group are written before all of its commands are done: all wait for the last one. */
  groupWrites: 16,
  /** Reads of a team that share a snapshot, and how many such groups of a team run at once. */
  groupReads: 16,
  groupsOfReads: 2,
  commandsApart: 4,
  collisions: 20,
  backoffMs: 5,

  /** Readiness: writes do not get through if a commit takes longer than the first; one within the second proves that they do. */
  commitMs: 3000,
  freshWriteMs: 1000,

  sqliteFileLinks: 32,
  sqliteReaders: 8,
  sqliteUrgentReaders: 2,
  sqliteWriterCacheKib: 16 * 1024,
  sqliteReaderCacheKib: 4 * 1024,
  sqliteStatements: 500,
  sqliteBusyMs: 5_000,
  /** How often a transaction that writes tries to get the write lock. */
  sqliteRetryMs: 5,
  /** How often readiness tries to get the write lock. */
  sqliteProbeMs: 50,
  /** Size of the write-ahead log, in pages of 4 KiB, at which it is copied into the database file. */
  sqliteCheckpointPages: 32_000,
  /** Size at which a commit does so itself, because it was not done beside. */
  sqliteLastCheckpointPages: 320_000,
  /** How long copying the rest of it waits for writers and readers, and the least time between two looks at it. */
  sqliteCheckpointLockMs: 50,
  sqliteCheckpointRestMs: 1000,

  /** Connections per process by default; at least one per purpose is needed. */
  postgresConnections: 24,
  postgresConnectionsMin: 5,
  postgresConnectionsMax: 1000,
  /** For connecting to a server, and for a connection to become free. */
  postgresConnectMs: 5_000,
  /** For a statement, and for a transaction in which nothing happens. The server enforces both. */
  postgresStatementMs: 15_000,
  postgresRowsPerWrite: 1000,
  /** A busy connection that receives nothing for longer than any statement may take is dead. */
  postgresSilenceMs: 17_000,
  postgresCheckMs: 1_000,
  postgresKeepAliveMs: 10_000,
  postgresIdleMs: 10_000,
  postgresDisconnectMs: 1_000,
  /** Somebody uses a connection on which something was done within this time. */
  postgresInUseMs: 10_000,
  postgresGroupLockMs: 100,
  /** Weeks for which partitions of the roll events are created ahead of time. */
  postgresPartitionsAhead: 4,
  /** How often to check for missing partitions. */
  postgresPartitionsMs: 3_600_000,
  /** For the lock needed to add or drop a partition; rolls wait as long. */
  postgresPartitionLockMs: 200,
  /** How often background work asks all shards of a Citus cluster for the same thing. */
  citusAcrossTeamsMs: 3_000,
  /** How often to check whether tables have grown on the workers of a Citus cluster. */
  citusGrownMs: 30_000,
  /** Longer than any statement of the service may take. */
  postgresLoadLockMs: 20_000,
  /** How long a migration waits for a lock, how often it tries again, and after which rest. */
  postgresMigrationLockMs: 2_000,
  migrationAttempts: 60,
  migrationRestMs: 1_000,
  /** How often a node checks that it can serve the schema. */
  schemaCheckMs: 500,

  // Reading and filling a whole database: rows in memory at once, and the length of their texts.
  batchRows: 2000,
  batchLength: 1024 * 1024,
  /** The longest row has the counters of all items of a team. */
  backupLineBytes: 256 * 1024 * 1024,
  /** For a file of a catalog or a plan, which may be indented; Node can hold no text that is much longer. */
  catalogFileBytes: 500 * 1024 * 1024,
  /** For a file name or database URL on the command line. */
  pathLength: 4096,
  /** Problems that the command line prints; the rest are counted. */
  printedFindings: 100,
  /** Of a plan, unless it is to be verbose: entities per kind and action, lines per entity, items per pool. */
  printedChanges: 50,
  printedLines: 40,
  printedOdds: 20,
  printedVersions: 30,
  /** Items whose names are looked up one by one, to be printed. */
  printedNames: 20,
  /** What tools of an assistant return at once, which has to read all of it: rows, whole entities, characters. */
  toolRows: 200,
  toolEntities: 50,
  toolResultLength: 200_000,
  /** How often the command line tries a call of a service again. */
  callRetries: 2,
} as const;
