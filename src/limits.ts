/** Every maximum of the service. Contracts, services and documentation take their numbers from here. */
export const LIMITS = {
  // What a request may hold.
  bodyBytes: 1024 * 1024,
  bodyDepth: 64,
  /** Longer than any id that is accepted, even with each of its characters escaped, so that validation refuses it. */
  pathParameterLength: 16_384,
  /** The longest id has 191 characters of four bytes each, and base64 makes four of every three. */
  cursorLength: 2048,
  timestampLength: 64,
  idLength: 191,
  nameLength: 191,
  thumbnailLength: 2048,
  requestIdLength: 191,
  pageRows: 1000,
  listedIds: 1000,
  issues: 100,

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
  rateLimitedTeams: 10_000,
  cachedTeams: 1000,
  cachedItems: 1_000_000,
  cachedTimeTexts: 1000,
  gatheredLogLength: 64 * 1024,

  // What one process takes on, and how it is run.
  requestsUnderWay: 1024,
  rateLimitPerSecond: 1_000_000,
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
  sliceMs: 5,
  /** Configurations that were checked on a catalog a moment ago. */
  checkedConfigs: 8,

  // How long things may take.
  /** For a request to arrive whole. What it then waits for, a database, has limits of its own. */
  requestTimeoutMs: 30_000,
  /** Node looks for requests that take too long only this often. */
  requestTimeoutCheckMs: 5000,
  keepAliveMs: 72_000,
  /** For requests under way to finish once the service was told to stop. */
  stopTimeoutMs: 20_000,

  // How long things are kept.
  gatheredLogMs: 50,
  /** A secret revoked on another node must be refused within a second, so a verified header is good for half of one. */
  verifiedHeaderMs: 500,
  /** A day is promised; the hour more allows for clocks that differ between nodes. */
  storedAnswerMs: 25 * 3_600_000,
  preflightS: 600,
  /** The name of a console asset changes with its content; that of the icon does not. */
  consoleAssetMs: 365 * 86_400_000,
  consoleIconMs: 3_600_000,

  // Work that the service does by itself, in steps short enough for requests to pass between them.
  storedAnswersPerSweep: 500,
  rollCountsPerFold: 2000,
  /** A chore rests this many times as long as it worked, however much there is to do. */
  choreRestFactor: 20,

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

  sqliteReaders: 8,
  sqliteWriterCacheKib: 16 * 1024,
  sqliteReaderCacheKib: 4 * 1024,
  sqliteStatements: 500,
  sqliteBusyMs: 5_000,

  postgresGroups: 8,
  postgresApart: 4,
  postgresTransactions: 4,
  postgresReaders: 8,
  postgresConnectMs: 5_000,
  postgresStatementMs: 15_000,
  postgresGroupLockMs: 100,
} as const;
