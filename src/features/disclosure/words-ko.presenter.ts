import { createRatioFormat } from '../../engine/evidence/words.ts';
import { createFormats } from './page-formats.presenter.ts';
import type { Words } from './words.presenter.ts';

const formats = createFormats('ko', '%');
const { count, exact } = formats;
const ratio = createRatioFormat('ko', (most) => `${most} 초과`);

/** A counter follows every number: 10회, 10팩, 5장. Particles differ, so nouns come with those that sentences need. */
const NOUNS = {
  gacha: { title: '뽑기', roll: '뽑기', unit: '회', times: '횟수', result: '뽑기', resultUnit: '회' },
  idle: { title: '방치 보상', roll: '뽑기', unit: '회', times: '횟수', result: '뽑기', resultUnit: '회' },
  card_pack: { title: '카드 팩', roll: '팩', unit: '팩', times: '팩 수', result: '카드', resultUnit: '장' },
  roguelike: { title: '선택 보상', roll: '보상 제시', unit: '회', times: '횟수', result: '선택지', resultUnit: '개' },
} as const;

const isPacked = (system: keyof typeof NOUNS): boolean => system === 'card_pack' || system === 'roguelike';
const rolls = (system: keyof typeof NOUNS, value: number): string => `${count(value)}${NOUNS[system].unit}`;
const nth = (system: keyof typeof NOUNS, value: number): string =>
  system === 'card_pack' ? `${count(value)}번째 팩` : `${count(value)}회차`;

export const korean: Words = {
  tag: 'ko',
  language: '한국어',
  languages: '언어',
  gap: ' ',
  formats,

  pageTitle: (name) => `${name} 확률 공개`,
  subtitle: (system) => `확률형 아이템 확률 공개: ${NOUNS[system].title}의 확률, 규칙, 결과`,

  oneRoll: (system) => (system === 'roguelike' ? '보상 제시 1회 구성' : '팩 1개 구성'),
  contents: (system, cards, areDifferent) =>
    system === 'roguelike'
      ? `${areDifferent ? '서로 다른 ' : ''}아이템 ${count(cards)}개 중 선택`
      : `${areDifferent ? '서로 다른 ' : ''}카드 ${count(cards)}장`,
  available: '이용 기간',
  always: '기간 제한 없음',
  until: (time) => `${time}까지`,
  from: (time) => `${time}부터`,
  between: (start, end) => `${start} ~ ${end}`,
  inForceSince: '적용 시작',
  accrual: '누적',
  accrues: (rollsPerHour, maxHours, maxRolls) =>
    `시간당 ${exact(rollsPerHour)}회, 최대 ${exact(maxHours)}시간분(최대 ${count(maxRolls)}회)`,

  tier: '등급',
  allItems: '전체 아이템',
  total: '합계',
  never: '획득 불가',
  noLimit: '상한 없음',
  rolls,
  chance: (system) => ({ text: '확률', more: `(${NOUNS[system].result} 1${NOUNS[system].resultUnit}당)` }),
  overall: { text: '종합 확률', more: '(천장 포함)' },
  average: (system) => ({ text: `평균 ${NOUNS[system].times}`, more: '(첫 획득까지)' }),
  most: (system) => ({ text: `최대 ${NOUNS[system].times}`, more: '' }),
  inRoll: (system) => ({ text: system === 'card_pack' ? '팩당' : '1회당', more: '1개 이상 포함될 확률' }),
  half: '절반의 플레이어가 획득하기까지',
  oddsByTier: '등급별 확률',
  chanceNote: (system) => {
    const { result, resultUnit } = NOUNS[system];
    const average = isPacked(system) ? `(전체 ${result} 평균)` : '';
    return `‘확률’은 천장이나 확정 획득 등의 보정이 없을 때 ${result} 1${resultUnit}당 확률입니다${average}.`;
  },
  overallNote: (_system, { pity, guarantee }) => {
    const helps = [...(pity ? ['천장'] : []), ...(guarantee ? ['픽업 확정'] : [])].join(' 및 ');
    return `‘종합 확률’은 ${helps} 적용 시 장기적으로 전체 결과에서 차지하는 비율입니다.`;
  },
  averageNote: (system) => {
    const { times } = NOUNS[system];
    return `‘평균 ${times}’는 처음 획득하기까지의 평균이며, ‘최대 ${times}’는 획득하기까지 필요한 최대치입니다. ‘–’는 상한이 없음을 뜻합니다.`;
  },
  roundingNote: '확률은 유효 숫자 네 자리로 반올림하여 표시하므로 합계가 100%와 다소 다를 수 있습니다.',

  oddsOfItems: '아이템별 확률',
  item: '아이템',
  featuredBadge: '픽업',
  itemsListed: (value) => `희귀한 등급순으로 아이템 ${count(value)}개를 표시합니다.`,
  allItemsAsJson: (value) => `전체 아이템 ${count(value)}개(JSON)`,
  itemsTogether: (value) => `아이템 ${count(value)}개의 합계는 100%입니다(반올림 오차 제외).`,

  attributes: '아이템 능력치',
  attribute: '능력치',
  range: '범위',
  valueCount: '값의 수',
  chanceOfEach: '값별 확률',
  anyValue: '연속값',
  inSteps: (step) => `${exact(step)} 단위`,
  attributesNote: '능력치는 아이템을 획득할 때 결정됩니다. 범위 안의 모든 값은 나올 확률이 같습니다.',
  attributesListed: (value) => `처음 ${count(value)}개를 표시합니다.`,
  allAttributesAsJson: (value) => `전체 ${count(value)}개(JSON)`,

  pity: '천장(확률 상승)',
  certain: (system, tier, { misses, isTop, higherResets }) => {
    const due = isTop ? `${tier} 등급` : `${tier} 이상 등급`;
    const missed = higherResets ? due : `${tier} 등급`;
    const gives = isPacked(system) ? '아이템이 반드시 1개 이상 포함됩니다' : '아이템을 반드시 획득합니다';
    if (misses === 0) return system === 'card_pack' ? `모든 팩에 ${due} ${gives}.` : `매회 ${due} ${gives}.`;
    const next = {
      gacha: '다음 뽑기에서',
      idle: '다음 뽑기에서',
      card_pack: '다음 팩에',
      roguelike: '다음 보상 제시에',
    };
    return `${rolls(system, misses)} 연속으로 ${missed} 아이템이 나오지 않으면 ${next[system]} ${due} ${gives}.`;
  },
  rises: (system, roll) => `${nth(system, roll)}부터는 확률이 평소보다 높아집니다.`,
  chanceOf: (tier) => `${tier} 등급 확률`,
  sinceLast: (system) => `마지막 획득 이후 ${NOUNS[system].times}`,
  chanceOnly: '확률',
  atLeastOne: '1개 이상 포함될 확률',
  showEach: () => '회차별 확률 보기',
  curve: (system, tier) => `마지막 획득 이후 ${NOUNS[system].times}에 따른 ${tier} 등급 확률`,
  firstRoll: (system) => nth(system, 1),
  certainRoll: (system, roll) => `${nth(system, roll)}: 100%`,
  lowerPity:
    '더 희귀한 등급이 천장에 가깝지 않을 때의 확률입니다. 이 등급이 천장에 도달해도 더 희귀한 등급의 확률은 그대로 유지됩니다.',
  countedAlone: '횟수는 플레이어별로 집계됩니다.',
  countedInGroup: (others) => `횟수는 플레이어별로 집계되며, 다음과 공유됩니다: ${others}.`,
  countedInHiddenGroup: '횟수는 플레이어별로 집계되며, 같은 그룹의 다른 뽑기와 공유됩니다.',

  featured: '픽업 아이템',
  featuredAre: (names) => `픽업 대상: ${names}.`,
  featuredMany: (value) => `${count(value)}개(아이템 목록에 표시)`,
  featuredShare: (tier, share) => `${tier} 등급 획득 시 ${share}의 확률로 픽업 아이템이 나옵니다.`,
  guarantee: (tier, losses) =>
    losses === 1
      ? `${tier} 등급에서 픽업 이외의 아이템이 나오면, 다음 ${tier} 등급은 반드시 픽업 아이템입니다.`
      : `${tier} 등급에서 ${count(losses)}회 연속으로 픽업 이외의 아이템이 나오면, 다음 ${tier} 등급은 반드시 픽업 아이템입니다.`,
  spark: (system, points) =>
    `${NOUNS[system].roll} 1${system === 'card_pack' ? '개' : '회'}마다 1포인트를 얻습니다. <strong>${count(points)}포인트</strong>로 원하는 픽업 아이템 1개와 교환할 수 있으므로, 최대 ${rolls(system, points)} 안에 반드시 획득할 수 있습니다.`,

  cards: (system) => (system === 'roguelike' ? '선택지별 확률' : '팩 내 카드별 확률'),
  card: (system) => NOUNS[system].result,
  areDifferent: (system) =>
    `${system === 'roguelike' ? '한 번의 보상 제시' : '한 팩'} 안에서는 같은 아이템이 중복되지 않습니다. 어떤 등급의 아이템이 모두 나오면 나머지 등급은 서로의 비율을 유지합니다.`,
  depths: '깊이별 보상 제시',
  depth: '깊이',
  deeper: (scaled) =>
    `다른 항목의 확률은 모두 깊이 0 기준입니다. 깊이가 1 늘어날 때마다 다음 배율이 적용됩니다: ${scaled}.`,
  scaledBy: (tier, factor) => `${tier} ×${exact(factor)}`,
  depthsNote: '천장에 도달하지 않았을 때, 보상 제시 1회에 해당 등급의 아이템이 1개 이상 포함될 확률입니다.',

  results: '현재까지의 결과',
  nothingYet: '이 확률로 진행된 결과가 아직 없습니다.',
  applied: (system, value) =>
    `이 확률은 지금까지 ${NOUNS[system].result} 약 ${count(value)}${NOUNS[system].resultUnit}에 적용되었습니다.`,
  soFar: '실제 결과',
  promised: '기대 비율',
  noEvidence: '공개된 확률과 어긋난다는 증거가 없습니다.',
  against: (evidence) => `공개된 확률과 어긋난다는 증거의 강도: ${ratio(evidence)}.`,
  alarm: (time) => `${time}에 경보가 발령되었습니다.`,
  tooLittle: '경보 기준에는 미치지 못하며 우연일 수 있습니다.',
  compared: () =>
    '모든 결과를 플레이어의 누적 횟수에 따라 당시 적용된 확률과 비교합니다. 따라서 ‘기대 비율’은 위의 확률과 다를 수 있습니다.',
  everythingCounts: '시기에 관계없이 모든 결과를 집계합니다.',
  rowsProveLittle:
    '한 행만으로는 판단하기 어렵습니다. 행이 많으면 우연히 차이가 나는 행도 있습니다. 이를 고려한 것은 설정 전체에 대한 증거의 강도뿐입니다.',
  noneTogether: '지금까지의 모든 설정을 합쳐도 공개된 확률과 어긋난다는 증거가 없습니다.',
  allTogether: (evidence) => `지금까지의 모든 설정을 합친, 공개된 확률과 어긋난다는 증거의 강도: ${ratio(evidence)}.`,
  forcedLeftOut: (system) => `천장으로 결정된 ${NOUNS[system].result}는 비율에 포함하지 않습니다.`,

  announced: '확률 변경 예고',
  announcedFrom: (time) => `${time}부터:`,
  now: '현재',
  afterwards: '변경 후',
  moreItemsChange: (value) => `그 외 아이템 ${count(value)}개의 확률도 변경됩니다.`,
  announcedNote: '모든 규칙을 적용했을 때 장기적으로 전체 결과에서 차지하는 비율입니다.',

  history: '확률 변경 이력',
  historyFrom: '시작(UTC)',
  historyUntil: '종료',
  historyOdds: '등급별 확률',
  version: '버전',
  configuration: '설정',
  current: '현재',
  notRollable: '이용할 수 없는 상태',
  notComputed: '계산되지 않음',
  earlierLeftOut: '이전 이력은 표시하지 않습니다.',

  catalogVersion: (version, config) => `카탈로그 버전 ${count(version)}, 설정 ${config}`,
  computed: '확률은 실제 뽑기에 쓰이는 규칙으로 정확히 계산한 값이며, 표본으로 추정한 값이 아닙니다.',
  asData: (odds, history) => `데이터: ${odds}, ${history}.`,
  oddsLink: '확률 및 결과',
  historyLink: '변경 이력',
};
