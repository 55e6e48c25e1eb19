/** Every maximum of the service. Contracts, services and documentation take their numbers from here. */
export const LIMITS = {
  // What a request may hold.
  bodyBytes: 1024 * 1024,
  bodyDepth: 64,
  /** Far more than any operation takes; a body of nothing but braces would hold several times as many. */
  bodyValues: 50_000,
  /** Of a wrong body with more values than this only the first fault is reported. */
  valuesCheckedThoroughly: 5000,
  /** Longer than any id that is accepted, even with each of its characters escaped, so that validation refuses it. */
  pathParameterLength: 16_384,
  /** The longest id has 191 characters of four bytes each, and base64 makes four of every three. */
  cursorLength: 2048,
  /** A team and a secret have at most 191 characters of four bytes each, and base64 makes four of every three. */
  authorizationLength: 2100,
  timestampLength: 64,
  idLength: 191,
  nameLength: 191,
  thumbnailLength: 2048,
  requestIdLength: 191,
  pageRows: 1000,
  /** Of so many items instances are looked up item by item; of more, all instances are looked through. */
  itemsLookedUp: 20,
  /** User spaces that a list of spaces shows: of each space, and on one page of them. */
  userSpacesPerListedSpace: 100,
  listedUserSpaces: 1000,
  /** Spaces whose user spaces are read in one go. */
  listedSpacesRead: 50,
  listedIds: 1000,
  issues: 100,
  /** Of a list: a page ends early, and a `Link` leads on, once its rows have this many bytes. */
  responseBytes: 2 * 1024 * 1024,
  /** Characters of a long response that are made at once. */
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
  itemSide: 20,
  spaceSide: 200,

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
  /** Of computing the exact odds of a template, a step being a few nanoseconds. */
  oddsSteps: 700_000_000,

  // What is held in memory.
  rolledPools: 64,
  rememberedItemTexts: 2000,
  verifiedHeaders: 10_000,
  throttledAddresses: 10_000,
  addressLength: 64,
  rateLimitedTeams: 10_000,
  cachedTeams: 1000,
  cachedItems: 1_000_000,
  cachedTimeTexts: 1000,
  gatheredLogLength: 64 * 1024,

  // What one process takes on, and how it is run. Teams share it: a single one may have half of the requests and bytes.
  connections: 8192,
  requestsUnderWay: 2048,
  /** Of bodies that have not arrived as a whole. */
  arrivingBytes: 256 * 1024 * 1024,
  rateLimitPerSecond: 1_000_000,
  /** Wrong secrets that an address may try: on one team, and on teams of which none is known. */
  failedAttemptsOnTeam: { burst: 30, perSecond: 5 },
  failedAttemptsFromAddress: { burst: 100, perSecond: 20 },
  workers: 64,
  port: 65_535,

  // Work in threads: odds, and whatever else may take long.
  computeThreads: 4,
  /** Under way at once: of all teams, and of one kind of one team. */
  computeJobs: 64,
  computeJobsPerTeam: 4,
  computeMs: 20_000,
  computeIdleMs: 5000,
  computeHeapMib: 1024,
  /** Less than this is done at once, on the thread that serves requests: a millisecond or two. */
  inlineSteps: 300_000,
  /** A template that has to look at no more items than this is made ready in one go: a few milliseconds. */
  inlineItems: 2000,
  /** Configurations that were checked on a catalog a moment ago. */
  checkedConfigs: 8,

  // How long things may take.
  /** For a request to arrive as a whole; then for it to be answered; then for its caller to take the response. */
  requestTimeoutMs: 30_000,
  /** How often is looked for what takes too long. */
  sweepMs: 1000,
  /** Node looks for requests that take too long only this often. */
  requestTimeoutCheckMs: 5000,
  keepAliveMs: 72_000,
  /** For requests under way to finish once the service was told to stop. */
  stopTimeoutMs: 20_000,
  stopDelayMs: 600_000,
  /** While stopping, connections on which nothing is asked are closed after the first, half-sent requests after the second. */
  stopIdleMs: 100,
  stopArrivalMs: 5000,
  stopCheckMs: 20,
  /** For the database to be closed once every request is answered. */
  stopDatabaseMs: 1000,
  /** For what the service does by itself to end. */
  stopChoresMs: 500,

  // How long things are kept.
  gatheredLogMs: 50,
  /** A secret revoked on another node must be refused within a second, so a verified header is good for half of one. */
  verifiedHeaderMs: 500,
  /** A day is promised; the hour more allows for clocks that differ between nodes. */
  storedAnswerMs: 25 * 3_600_000,
  /** Of a response to a request with an `Idempotency-Key`; what is longer is refused before it has any effect. */
  storedAnswerLength: 4 * 1024 * 1024,
  /** The response to a plain roll is shorter, and is stored as it is. */
  compressedAnswerLength: 1536,
  preflightS: 600,
  /** The name of a console asset changes with its content; that of the icon does not. */
  consoleAssetMs: 365 * 86_400_000,
  consoleIconMs: 3_600_000,

  /** A century, for those who set how long the record of rolls and the history are kept. */
  keepDays: 36_500,

  // Work that the service does by itself, in steps short enough for requests to pass between them.
  storedAnswersPerSweep: 500,
  rollEventsPerRemoval: 500,
  historyRowsPerRemoval: 250,
  /** What removes a lot rests this many times as long as each of its steps took. */
  removalRestFactor: 4,
  /** Of several nodes one does a chore; another takes over when nothing was heard of it for so long. */
  choreLeaseMs: 60_000,
  /** How often the record of rolls and the history are searched for what is too old. */
  removalPassMs: 6 * 3_600_000,
  rollCountsPerFold: 2000,
  /** Items whose counts statistics read at once, and add up in one turn of the event loop. */
  countedItemsRead: 10_000,
  countedItemsPerTurn: 5000,
  /** A chore rests this many times as long as it worked, however much there is to do. */
  choreRestFactor: 20,

  /** How long work may run before others have their turn on the event loop; 50 ms is the most that any request may take. */
  turnMs: 10,
  /** Rows that are read or written before anyone asks whether the turn is over. */
  rowsPerTurnCheck: 64,
  /** Rows of a list whose details are read at once; each may have a hundred options and a hundred attributes. */
  rowsPerDetails: 10,
  numeratorsPerRead: 5000,
  /** Templates of a list that are read at once; each may have a configuration as large as a request. */
  templatesPerRead: 5,
  // What is measured.
  eventLoopResolutionMs: 10,
  eventLoopWindowMs: 15_000,
  /** For the other processes behind the port to tell their metrics. */
  metricsGatherMs: 2000,

  // How soon things are tried again.
  retryAfterS: 1,
  choreRetryMs: 10_000,
  /** A worker that cannot live must not be replaced in a tight loop. */
  workerRestartMs: 1000,

  // Units of work: commands that share a transaction, and how often one is tried again when others get in its way.
  groupCommands: 256,
  commandsApart: 4,
  collisions: 20,
  backoffMs: 5,

  sqliteFileLinks: 32,
  sqliteReaders: 8,
  sqliteUrgentReaders: 2,
  sqliteWriterCacheKib: 16 * 1024,
  sqliteReaderCacheKib: 4 * 1024,
  sqliteStatements: 500,
  sqliteBusyMs: 5_000,
  /** The write-ahead log is copied into the file when it has grown to so many pages of 4 KiB. */
  sqliteCheckpointPages: 32_000,

  /** Connections of one process, if not told otherwise; fewer than one per purpose would not do. */
  postgresConnections: 24,
  postgresConnectionsLeast: 5,
  postgresConnectionsMost: 1000,
  /** For a server to let us in, and for a connection to be free. */
  postgresConnectMs: 5_000,
  /** For a statement, and for a transaction in which nothing happens. The server ends both. */
  postgresStatementMs: 15_000,
  postgresRowsPerWrite: 1000,
  /** A connection in use that brings nothing for longer than any statement may take is dead. */
  postgresSilenceMs: 17_000,
  postgresLookMs: 1_000,
  postgresKeepAliveMs: 10_000,
  postgresIdleMs: 10_000,
  postgresLeaveMs: 1_000,
  postgresGroupLockMs: 100,
  /** Weeks for which the record of rolls has partitions ahead. */
  postgresPartitionsAhead: 4,
  /** How often it is looked after them. */
  postgresPartitionsMs: 3_600_000,
  /** For the lock that it takes to add or drop a partition; whoever records rolls waits as long. */
  postgresPartitionLockMs: 200,
  /** Longer than any statement of the service may take. */
  postgresLoadLockMs: 20_000,

  // Reading and filling a database as a whole: rows that are in memory at once, and the length of their texts.
  batchRows: 2000,
  batchLength: 1024 * 1024,
  /** The longest row is that of the counters of all items of a team. */
  backupLineBytes: 256 * 1024 * 1024,
  /** Of a file or a database that the command line is given. */
  pathLength: 4096,
  /** Findings that a check prints; the rest are counted. */
  printedFindings: 100,
} as const;
