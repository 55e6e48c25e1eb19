import { MAX_STATES } from '../src/engine/systems/gacha/pity.ts';
import { MAX_ROLLS_PER_CALL } from '../src/engine/systems/idle/idle.ts';
import { LIMITS } from '../src/shared/limits.ts';

type Row = readonly [title: string, limit: string];

const count = (value: number): string => value.toLocaleString('en-US');
const seconds = (ms: number): string => `${count(ms / 1000)} seconds`;
const mebibytes = (bytes: number): string => `${count(bytes / (1024 * 1024))} MiB`;
const characters = (length: number): string => `${count(length)} characters`;
const upTo = (least: number, most: number): string => `${count(least)} to ${count(most)}`;
const attempts = ({ burst, perSecond }: { burst: number; perSecond: number }): string =>
  `${count(burst)}, and ${count(perSecond)} more per second`;

const SECTIONS: readonly (readonly [heading: string, rows: readonly Row[]])[] = [
  [
    'Requests',
    [
      ['Request body', mebibytes(LIMITS.bodyBytes)],
      ['Request body of plans, publications and drafts of the catalog', mebibytes(LIMITS.catalogBodyBytes)],
      ['Values and members in a body', count(LIMITS.bodyValues)],
      ['Values and members in a body of plans, publications and drafts', count(LIMITS.catalogBodyValues)],
      ['Nesting depth of a body', count(LIMITS.bodyDepth)],
      ['Time for a request to arrive', seconds(LIMITS.requestTimeoutMs)],
      ['Time to process a request', seconds(LIMITS.requestTimeoutMs)],
      ['Time to plan or publish a change of the catalog', seconds(LIMITS.catalogWorkMs)],
      ['Time for the client to read the response', seconds(LIMITS.requestTimeoutMs)],
      ['Idle time of an open connection', seconds(LIMITS.keepAliveMs)],
      ['`Idempotency-Key`', characters(LIMITS.idLength)],
      ['`X-Request-Id` (a longer one is replaced)', characters(LIMITS.requestIdLength)],
      ['`Itemwright-Reason`', characters(LIMITS.reasonLength)],
      ['`Authorization` header (a longer one returns 401)', characters(LIMITS.authorizationLength)],
      ['Ids listed in a query or a filter', count(LIMITS.listedIds)],
      ['`cursor`', characters(LIMITS.cursorLength)],
      ['Time in a request (ISO 8601)', characters(LIMITS.timestampLength)],
    ],
  ],
  [
    'Responses',
    [
      ['Rows on a page of a list', count(LIMITS.pageRows)],
      ['Size of a page (it ends early, and has a `Link`)', mebibytes(LIMITS.responseBytes)],
      [
        'Entries of the roll log looked at for a page (with a `Link` if there are more)',
        count(LIMITS.rollEventsScanned),
      ],
      ['User spaces shown with each space in `GET /spaces`', count(LIMITS.userSpacesPerListedSpace)],
      ['User spaces on a page of `GET /spaces`', count(LIMITS.listedUserSpaces)],
      ['Response to a request with an `Idempotency-Key`', characters(LIMITS.storedResponseLength)],
      ['Response to a roll without one', characters(LIMITS.rollResponseLength)],
      ['Issues in an error', count(LIMITS.issues)],
      ['`path` of an issue', characters(LIMITS.issuePathLength)],
    ],
  ],
  [
    'Catalog',
    [
      ['Ids', characters(LIMITS.idLength)],
      ['Names', characters(LIMITS.nameLength)],
      ['Thumbnail', characters(LIMITS.thumbnailLength)],
      ['Description of an item', characters(LIMITS.descriptionLength)],
      ['Data of an item, as JSON', `${count(LIMITS.itemDataBytes)} bytes`],
      [
        'Data of an item instance, as JSON',
        `${count(LIMITS.instanceDataBytes)} bytes, ${count(LIMITS.instanceDataDepth)} levels`,
      ],
      ['Items per team', count(LIMITS.itemsPerTeam)],
      ['Options per classifier', count(LIMITS.optionsPerClassifier)],
      ['Classifier options per item', count(LIMITS.optionsPerItem)],
      ['Attributes per item', count(LIMITS.attributesPerItem)],
      ['Width and height of an item', `${upTo(1, LIMITS.itemSide)} cells`],
      ['Columns and rows of a space', `${upTo(1, LIMITS.spaceSide)} cells`],
      ['Operations in a batch', count(LIMITS.operationsPerBatch)],
      ['Currencies per team', count(LIMITS.currenciesPerTeam)],
      ['Units of a currency that a user has', count(LIMITS.balance)],
      ['Prices at which a user has units of a currency', count(LIMITS.lotsPerBalance)],
      ['Digits of a price, before and after the point', count(LIMITS.moneyDigits)],
      ['Currencies that one operation takes or grants', count(LIMITS.consumedPerRequest)],
      ['`reference` of a grant', characters(LIMITS.grantReferenceLength)],
      ['`source` of a grant', characters(LIMITS.grantSourceLength)],
      ['Numbers that one operation increments', count(LIMITS.incrementsPerOperation)],
      ['Changes in a list of changes, and in a draft', count(LIMITS.changesPerRequest)],
      ['Drafts per team', count(LIMITS.draftsPerTeam)],
      ['Message of a version', characters(LIMITS.versionMessageLength)],
      ['Items listed per pool in a plan (the rest are counted)', count(LIMITS.listedOddsChanges)],
      ['Faults, and warnings, listed in a plan', count(LIMITS.listedFindings)],
      ['Users and instances that a plan counts', count(LIMITS.countedInPlan)],
    ],
  ],
  [
    'Rolls and templates',
    [
      ['`count` of a roll on a template', count(LIMITS.rollsPerCall)],
      ['Rolls that one request claims from an idle template', count(MAX_ROLLS_PER_CALL)],
      ['Tiers, and options in a filter, of a template', count(LIMITS.templateTiers)],
      ['Items listed in `pool` or `featuredItemIds`', count(LIMITS.templateItems)],
      ['Pity threshold', count(LIMITS.pityThreshold)],
      ['Soft pity segments', count(LIMITS.softPitySegments)],
      ['`guaranteeAfterLosses`', count(LIMITS.guaranteeAfterLosses)],
      ['Counter states of all pities (the product of the thresholds)', count(MAX_STATES)],
      ['Slots of a card pack', count(LIMITS.packSlots)],
      ['Cards in a card pack', count(LIMITS.packCards)],
      ['Choices in a roguelike offer', count(LIMITS.offerChoices)],
      ['`depth` of a roguelike offer', count(LIMITS.offerDepth)],
      ['Work to compute exact odds', `${count(LIMITS.oddsSteps / 1e6)} million steps, about 2 seconds`],
      ['Points of a curve, of odds or of a simulation', count(LIMITS.curve.points)],
      ['Rolls (packs, offers) of the curve of odds', count(LIMITS.curve.rolls)],
      ['Computations of one kind, such as odds, in progress per team', count(LIMITS.computeJobsPerTeam)],
      ['Computations in progress per process', count(LIMITS.computeJobs)],
      ['Those of one team, if no other team has any', count(LIMITS.computeJobs / 2)],
      ['Time for one computation of odds', seconds(LIMITS.computeMs)],
      ['Players of a simulation', count(LIMITS.simulatedPlayers)],
      ['Rolls of each player of a simulation', count(LIMITS.simulatedRolls)],
      ['Items that all players of a simulation get', count(LIMITS.simulatedItems)],
      ['`itemIds` of a simulation', count(LIMITS.simulationItemIds)],
      ['`pricePerRoll` of a simulation', count(LIMITS.pricePerRoll)],
      ['Pool of a simulation, as text', characters(LIMITS.simulationPoolLength)],
      ['Time for one simulation', seconds(LIMITS.simulationMs)],
      ['Simulations running per process', '1'],
      ['Simulations running or waiting per process (more return 503)', count(LIMITS.simulationPlaces)],
      ['Those of one team, if no other team has any', count(Math.ceil(LIMITS.simulationPlaces / 2))],
      [
        'Pool of a configuration that is kept, so that its odds and evidence can be computed',
        characters(LIMITS.snapshotLength),
      ],
      [
        'Versions of a catalog, and changes of theirs, that are noted at once (older ones are skipped)',
        `${count(LIMITS.versionsPerRecording)}; ${count(LIMITS.changesPerRecording)}`,
      ],
      ['Rows on a page of the history of odds', count(LIMITS.listedConfigs)],
      ['Days of rolls that evidence keeps one by one; earlier ones are added up', count(LIMITS.evidenceDays)],
      [
        'Configurations, and rows of each, in a list of evidence',
        `${count(LIMITS.listedStreams)}; ${count(LIMITS.evidenceRows)}`,
      ],
      ['Versions in the public history of a template', count(LIMITS.disclosedVersions)],
      ['Items on the public page of a template', count(LIMITS.disclosedItems)],
      ['Age of what is public about a template', seconds(LIMITS.disclosureAgeS * 1000)],
    ],
  ],
  [
    'Teams and load',
    [
      ['Secrets per team', count(LIMITS.secretsPerTeam)],
      ['Length of `ITEMWRIGHT_SECRET`', `${upTo(LIMITS.secretMinLength, LIMITS.secretMaxLength)} characters`],
      ['Requests in progress per process', count(LIMITS.concurrentRequests)],
      ['Requests in progress per process, if there is only one team', count(LIMITS.concurrentRequests / 2)],
      ['Bodies in transit per process', mebibytes(LIMITS.arrivingBytes)],
      ['Connections per process', count(LIMITS.connections)],
      ['Wrong secrets per address and team', attempts(LIMITS.failedAttemptsOnTeam)],
      ['Wrong secrets per address for unknown teams', attempts(LIMITS.failedAttemptsFromAddress)],
    ],
  ],
];

const INTRODUCTION = `<!-- Generated from src/shared/limits.ts by \`npm run limits\`. Do not edit. -->

# Limits

The maximum values that the API accepts and returns. A request that exceeds a limit returns 400; 413 if its body is too
large, 409 if the team has too many secrets, and 429 or 503 if there is too much load.
[Running Itemwright](../operate/running.md#overload-and-timeouts) explains how teams share a process, and [Requests](requests.md)
covers paging and idempotency keys.`;

const table = ([heading, rows]: (typeof SECTIONS)[number]): string =>
  [
    `## ${heading}`,
    '',
    '| What | At most |',
    '|---|---|',
    ...rows.map(([title, limit]) => `| ${title} | ${limit} |`),
  ].join('\n');

/** The page with every limit that callers of the API can meet. */
export const limitsPage = (): string => `${[INTRODUCTION, ...SECTIONS.map(table)].join('\n\n')}\n`;
