import { createRatioFormat } from '../../engine/evidence/words.ts';
import { createFormats } from './page-formats.presenter.ts';
import type { Words } from './words.presenter.ts';

const formats = createFormats('de', ' %');
const { count, exact } = formats;
const ratio = createRatioFormat('de', (most) => `mehr als ${most}`);

const DRAW = {
  ...{ one: 'eine Ziehung', toOne: 'einer Ziehung', ofOne: 'einer Ziehung', every: 'Jede', toEvery: 'jeder' },
  ...{ roll: 'Ziehung', rolls: 'Ziehungen', toRolls: 'Ziehungen', next: 'die nächste', toNth: 'der' },
  ...{ result: 'Ziehung', results: 'Ziehungen' },
};

/** With the cases and genders that sentences need. */
const NOUNS = {
  gacha: { title: 'Banner', ...DRAW },
  idle: { title: 'Leerlauf-Beute', ...DRAW },
  card_pack: {
    title: 'Kartenpackung',
    ...{ one: 'eine Packung', toOne: 'einer Packung', ofOne: 'einer Packung', every: 'Jede', toEvery: 'jeder' },
    ...{ roll: 'Packung', rolls: 'Packungen', toRolls: 'Packungen', next: 'die nächste', toNth: 'der' },
    ...{ result: 'Karte', results: 'Karten' },
  },
  roguelike: {
    title: 'Angebot',
    ...{ one: 'ein Angebot', toOne: 'einem Angebot', ofOne: 'eines Angebots', every: 'Jedes', toEvery: 'jedem' },
    ...{ roll: 'Angebot', rolls: 'Angebote', toRolls: 'Angeboten', next: 'das nächste', toNth: 'dem' },
    ...{ result: 'Option', results: 'Optionen' },
  },
};

const isPacked = (system: keyof typeof NOUNS): boolean => system === 'card_pack' || system === 'roguelike';
const many = (value: number, one: string, more: string): string => `${count(value)} ${value === 1 ? one : more}`;
const capitalized = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

export const german: Words = {
  tag: 'de',
  language: 'Deutsch',
  languages: 'Sprache',
  gap: ' ',
  formats,

  pageTitle: (name) => `Wahrscheinlichkeiten: ${name}`,
  subtitle: (system) => `${NOUNS[system].title}: Wahrscheinlichkeiten, Regeln und Ergebnisse`,

  oneRoll: (system) => capitalized(NOUNS[system].one),
  contents: (system, cards, areDifferent) =>
    system === 'roguelike'
      ? `${count(cards)}${areDifferent ? ' verschiedene' : ''} Gegenstände zur Auswahl`
      : `${count(cards)}${areDifferent ? ' verschiedene' : ''} Karten`,
  available: 'Verfügbar',
  always: 'ohne zeitliche Begrenzung',
  until: (time) => `bis ${time}`,
  from: (time) => `ab ${time}`,
  between: (start, end) => `${start} bis ${end}`,
  inForceSince: 'Gültig seit',
  accrual: 'Ansammlung',
  accrues: (rollsPerHour, maxHours, maxRolls) =>
    `${exact(rollsPerHour)} ${rollsPerHour === 1 ? 'Ziehung' : 'Ziehungen'} pro Stunde, bis zu ${exact(maxHours)} ${maxHours === 1 ? 'Stunde' : 'Stunden'} lang (höchstens ${many(maxRolls, 'Ziehung', 'Ziehungen')})`,

  tier: 'Seltenheit',
  allItems: 'Alle Gegenstände',
  total: 'Summe',
  never: 'nie',
  noLimit: 'keine Obergrenze',
  rolls: (system, value) => many(value, NOUNS[system].roll, NOUNS[system].rolls),
  chance: (system) => ({ text: 'Chance', more: `pro ${NOUNS[system].result}` }),
  overall: { text: 'Gesamt', more: 'mit Pity' },
  average: (system) => ({ text: 'Ø', more: `${NOUNS[system].rolls} bis zum ersten Treffer` }),
  most: (system) => ({ text: 'Max.', more: NOUNS[system].rolls }),
  inRoll: (system) => ({ text: `In ${NOUNS[system].toOne}`, more: '(mindestens einmal)' }),
  half: 'Die Hälfte aller Spieler hat einen Treffer nach',
  oddsByTier: 'Wahrscheinlichkeiten nach Seltenheit',
  chanceNote: (system) => {
    const average = isPacked(system)
      ? `, im Durchschnitt über alle ${NOUNS[system].results} ${NOUNS[system].ofOne}`
      : '';
    return `„Chance“ ist die Wahrscheinlichkeit pro ${NOUNS[system].result} ohne jede Hilfe${average}.`;
  },
  overallNote: (system, { pity, guarantee }) => {
    const helps = [...(pity ? ['Pity'] : []), ...(guarantee ? ['Garantie'] : [])].join(' und ');
    return `„Gesamt“ ist der langfristige Anteil an allen ${NOUNS[system].results}, mit ${helps}.`;
  },
  averageNote: (system) =>
    `„Ø“ gibt an, wie viele ${NOUNS[system].rolls} es im Durchschnitt bis zum ersten Treffer braucht, „Max.“, wie viele es höchstens sind; ein Strich bedeutet, dass es keine Obergrenze gibt.`,
  roundingNote:
    'Prozentwerte sind auf vier Stellen gerundet; die Summe einer Spalte kann daher geringfügig von 100 % abweichen.',

  oddsOfItems: 'Wahrscheinlichkeit jedes Gegenstands',
  item: 'Gegenstand',
  featuredBadge: 'hervorgehoben',
  itemsListed: (value) => `Hier stehen die ${count(value)} Gegenstände der seltensten Stufen.`,
  allItemsAsJson: (value) => `Alle ${count(value)} Gegenstände als JSON`,
  itemsTogether: (value) =>
    value === 1
      ? 'Der einzige Gegenstand: 100 %.'
      : `Alle ${count(value)} Gegenstände zusammen: 100 %, von Rundungen abgesehen.`,

  attributes: 'Attribute der Gegenstände',
  attribute: 'Attribut',
  range: 'Bereich',
  valueCount: 'Werte',
  chanceOfEach: 'Chance je Wert',
  anyValue: 'beliebig',
  inSteps: (step) => `in Schritten von ${exact(step)}`,
  attributesNote:
    'Attribute werden ausgewürfelt, wenn ein Gegenstand vergeben wird. Alle Werte eines Bereichs sind gleich wahrscheinlich.',
  attributesListed: (value) => `Hier stehen die ersten ${count(value)}.`,
  allAttributesAsJson: (value) => `Alle ${count(value)} als JSON`,

  pity: 'Pity: So steigt die Chance',
  certain: (system, tier, { misses, isTop, higherResets }) => {
    const { roll, toRolls, every, next } = NOUNS[system];
    const gives = isPacked(system) ? 'enthält' : 'ergibt';
    const due = isTop ? tier : `${tier} oder eine seltenere Stufe`;
    if (misses === 0) return `${every} ${roll} ${gives} ${due}.`;
    const missed = misses === 1 ? NOUNS[system].toOne : `${count(misses)} ${toRolls} in Folge`;
    return `Nach ${missed} ohne ${higherResets ? due : tier} ${gives} ${next} ${roll} garantiert ${due}.`;
  },
  rises: (system, roll) =>
    `Ab ${NOUNS[system].toNth} ${count(roll)}. ${NOUNS[system].roll} ist die Chance höher als sonst.`,
  chanceOf: (tier) => `Chance auf ${tier}`,
  sinceLast: (system) => `${NOUNS[system].rolls} seit dem letzten Treffer`,
  chanceOnly: 'Chance',
  atLeastOne: 'Mindestens einmal',
  showEach: (system) => `Chance bei ${NOUNS[system].toEvery} ${NOUNS[system].roll} anzeigen`,
  curve: (system, tier) => `Chance auf ${tier} nach ${NOUNS[system].toRolls} seit dem letzten Treffer`,
  firstRoll: (system) => `1. ${NOUNS[system].roll}`,
  certainRoll: (system, roll) => `${count(roll)}. ${NOUNS[system].roll}: 100 %`,
  lowerPity:
    'Solange keine seltenere Stufe kurz vor ihrer eigenen Pity steht. Seltenere Stufen behalten ihre Chance, wenn diese fällig ist.',
  countedAlone: 'Wird für jeden Spieler einzeln gezählt.',
  countedInGroup: (others) => `Wird für jeden Spieler einzeln gezählt, gemeinsam mit ${others}.`,
  countedInHiddenGroup: 'Wird für jeden Spieler einzeln gezählt, gemeinsam mit anderen Bannern derselben Gruppe.',

  featured: 'Hervorgehobene Gegenstände',
  featuredAre: (names) => `Hervorgehoben: ${names}.`,
  featuredMany: (value) => `${count(value)} Gegenstände, in der Liste aller Gegenstände gekennzeichnet`,
  featuredShare: (tier, share) =>
    `Ein Treffer der Stufe ${tier} ist mit einer Wahrscheinlichkeit von ${share} hervorgehoben.`,
  guarantee: (tier, losses) =>
    losses === 1
      ? `Nach einem Treffer der Stufe ${tier}, der nicht hervorgehoben war, ist es der nächste garantiert.`
      : `Nach ${count(losses)} Treffern der Stufe ${tier} in Folge, die nicht hervorgehoben waren, ist es der nächste garantiert.`,
  spark: (system, points) => {
    const { every, roll, rolls } = NOUNS[system];
    return `${every} ${roll} bringt außerdem einen Punkt. Für <strong>${many(points, 'Punkt', 'Punkte')}</strong> können Spieler sich einen hervorgehobenen Gegenstand aussuchen; niemand braucht dafür also mehr als ${many(points, roll, rolls)}.`;
  },

  cards: (system) => `Was jede ${NOUNS[system].result} ${NOUNS[system].ofOne} sein kann`,
  card: (system) => NOUNS[system].result,
  areDifferent: (system) =>
    `Alle ${NOUNS[system].results} ${NOUNS[system].ofOne} sind verschieden. Ist eine Stufe aufgebraucht, behalten die anderen ihr Verhältnis zueinander.`,
  depths: 'Angebote nach Tiefe',
  depth: 'Tiefe',
  deeper: (scaled) => `Alle anderen Angaben gelten für Tiefe 0. Jede weitere Ebene multipliziert die Raten: ${scaled}.`,
  scaledBy: (tier, factor) => `die von ${tier} mit ${exact(factor)}`,
  depthsNote:
    'Wahrscheinlichkeit, dass ein Angebot mindestens einen Gegenstand der Stufe enthält, wenn keine Pity fällig ist.',

  results: 'Bisherige Ergebnisse',
  nothingYet: 'Mit diesen Wahrscheinlichkeiten wurde noch nichts gezogen.',
  applied: (system, value) =>
    `Diese Wahrscheinlichkeiten galten bisher für rund ${many(value, NOUNS[system].result, NOUNS[system].results)}.`,
  soFar: 'Bisher',
  promised: 'Dafür zugesagt',
  noEvidence: 'Nichts spricht gegen die veröffentlichten Wahrscheinlichkeiten.',
  against: (evidence) => `Evidenz ${ratio(evidence)} gegen die veröffentlichten Wahrscheinlichkeiten.`,
  alarm: (time) => `Alarm wurde ausgelöst: ${time}.`,
  tooLittle: 'Das ist zu wenig für einen Alarm und kann Zufall sein.',
  compared: (system) =>
    `${NOUNS[system].every} ${NOUNS[system].roll} wird mit den Wahrscheinlichkeiten verglichen, die in diesem Moment dafür galten, je nach Zählerstand des Spielers. „Zugesagt“ kann daher von den Angaben oben abweichen.`,
  everythingCounts: 'Alle Ziehungen zählen, wie alt sie auch sind.',
  rowsProveLittle:
    'Eine einzelne Zeile beweist wenig: Unter vielen Zeilen weichen manche zufällig ab. Nur die Evidenz der ganzen Konfiguration berücksichtigt das.',
  noneTogether:
    'Alle Konfigurationen, die es je gab, zusammengenommen: Nichts spricht gegen die veröffentlichten Wahrscheinlichkeiten.',
  allTogether: (evidence) =>
    `Alle Konfigurationen, die es je gab, zusammengenommen: Evidenz ${ratio(evidence)} gegen die veröffentlichten Wahrscheinlichkeiten.`,
  forcedLeftOut: (system) =>
    `${NOUNS[system].results}, über die Pity entschieden hat, zählen in den Anteilen nicht mit.`,

  announced: 'Angekündigte Änderungen',
  announcedFrom: (time) => `Ab ${time}:`,
  now: 'Jetzt',
  afterwards: 'Danach',
  moreItemsChange: (value) =>
    value === 1
      ? 'Auch die Wahrscheinlichkeit eines weiteren Gegenstands ändert sich.'
      : `Auch die Wahrscheinlichkeiten von ${count(value)} weiteren Gegenständen ändern sich.`,
  announcedNote: 'Langfristige Anteile an allen Ergebnissen, nach allen Regeln.',

  history: 'Frühere Wahrscheinlichkeiten',
  historyFrom: 'Von (UTC)',
  historyUntil: 'Bis',
  historyOdds: 'Chance nach Seltenheit',
  version: 'Version',
  configuration: 'Konfiguration',
  current: 'jetzt',
  notRollable: 'konnte nicht gezogen werden',
  notComputed: 'nicht berechnet',
  earlierLeftOut: 'Ältere Versionen sind nicht aufgeführt.',

  catalogVersion: (version, config) => `Version ${count(version)} des Katalogs, Konfiguration ${config}`,
  computed:
    'Die Wahrscheinlichkeiten sind aus den Regeln berechnet, die für jede Ziehung gelten, nicht aus Stichproben geschätzt.',
  asData: (odds, history) => `Als Daten: ${odds}, ${history}.`,
  oddsLink: 'Wahrscheinlichkeiten und Ergebnisse',
  historyLink: 'Verlauf',
};
