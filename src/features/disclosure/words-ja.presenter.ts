import { createRatioFormat } from '../../engine/evidence/words.ts';
import { createFormats } from './page-formats.presenter.ts';
import type { Words } from './words.presenter.ts';

const formats = createFormats('ja', '%');
const { count, exact } = formats;
const ratio = createRatioFormat('ja', (most) => `${most}超`);

/** A counter follows every number: 10回, 10パック, 5枚. */
const NOUNS = {
  gacha: { title: 'ガチャ', roll: '抽選', unit: '回', result: '抽選', resultUnit: '回' },
  idle: { title: '放置報酬', roll: '抽選', unit: '回', result: '抽選', resultUnit: '回' },
  card_pack: { title: 'カードパック', roll: 'パック', unit: 'パック', result: 'カード', resultUnit: '枚' },
  roguelike: { title: '選択報酬', roll: '提示', unit: '回', result: '選択肢', resultUnit: '個' },
} as const;

const isPacked = (system: keyof typeof NOUNS): boolean => system === 'card_pack' || system === 'roguelike';
const rolls = (system: keyof typeof NOUNS, value: number): string => `${count(value)}${NOUNS[system].unit}`;
const nth = (system: keyof typeof NOUNS, value: number): string => `${rolls(system, value)}目`;

export const japanese: Words = {
  tag: 'ja',
  language: '日本語',
  languages: '言語',
  gap: '',
  formats,

  pageTitle: (name) => `${name} 提供割合`,
  subtitle: (system) => `${NOUNS[system].title}の提供割合・ルール・抽選結果`,

  oneRoll: (system) => (system === 'roguelike' ? '提示1回の内容' : '1パックの内容'),
  contents: (system, cards, areDifferent) =>
    system === 'roguelike'
      ? `${areDifferent ? '重複なしの' : ''}アイテム${count(cards)}個から選択`
      : `カード${count(cards)}枚${areDifferent ? '（重複なし）' : ''}`,
  available: '開催期間',
  always: '期間の制限なし',
  until: (time) => `${time}まで`,
  from: (time) => `${time}から`,
  between: (start, end) => `${start} ～ ${end}`,
  inForceSince: '適用開始',
  accrual: '蓄積',
  accrues: (rollsPerHour, maxHours, maxRolls) =>
    `1時間あたり${exact(rollsPerHour)}回、最大${exact(maxHours)}時間分（上限${count(maxRolls)}回）`,

  tier: 'レアリティ',
  allItems: '全アイテム',
  total: '合計',
  never: '出現しません',
  noLimit: '上限なし',
  rolls,
  chance: (system) => ({ text: '提供割合', more: `（${NOUNS[system].result}1${NOUNS[system].resultUnit}あたり）` }),
  overall: { text: '総合割合', more: '（天井込み）' },
  average: (system) => ({ text: system === 'card_pack' ? '平均パック数' : '平均回数', more: '（最初の獲得まで）' }),
  most: (system) => ({ text: system === 'card_pack' ? '最大パック数' : '最大回数', more: '' }),
  inRoll: (system) => ({ text: system === 'card_pack' ? '1パックに' : '提示1回に', more: '1つ以上含まれる確率' }),
  half: '半数のプレイヤーが獲得するまで',
  oddsByTier: 'レアリティ別提供割合',
  chanceNote: (system) => {
    const { result, resultUnit } = NOUNS[system];
    const average = isPacked(system) ? `（全${result}の平均）` : '';
    return `「提供割合」は、天井や確定などの補正がない場合の${result}1${resultUnit}あたりの確率です${average}。`;
  },
  overallNote: (_system, { pity, guarantee }) => {
    const helps = [...(pity ? ['天井'] : []), ...(guarantee ? ['ピックアップ確定'] : [])].join('と');
    return `「総合割合」は、${helps}を含めて長期的に見た場合の、全結果に占める割合です。`;
  },
  averageNote: (system) => {
    const unit = system === 'card_pack' ? 'パック数' : '回数';
    return `「平均${unit}」は最初の1つを獲得するまでの平均、「最大${unit}」は獲得までに必要な最大の${unit}です。「–」は上限がないことを表します。`;
  },
  roundingNote: '割合は有効数字4桁に四捨五入しているため、合計が100%にならない場合があります。',

  oddsOfItems: 'アイテム別提供割合',
  item: 'アイテム',
  featuredBadge: 'ピックアップ',
  itemsListed: (value) => `レアリティの高い順に${count(value)}個のアイテムを掲載しています。`,
  allItemsAsJson: (value) => `全${count(value)}個のアイテム（JSON）`,
  itemsTogether: (value) => `全${count(value)}個の合計は100%です（四捨五入による誤差を除く）。`,

  attributes: 'アイテムの能力値',
  attribute: '能力値',
  range: '範囲',
  valueCount: '値の数',
  chanceOfEach: '各値の確率',
  anyValue: '連続値',
  inSteps: (step) => `${exact(step)}刻み`,
  attributesNote: '能力値はアイテムの獲得時に抽選されます。範囲内のどの値も同じ確率で出現します。',
  attributesListed: (value) => `最初の${count(value)}件を掲載しています。`,
  allAttributesAsJson: (value) => `全${count(value)}件（JSON）`,

  pity: '天井（確率の上昇）',
  certain: (system, tier, { misses, isTop, higherResets }) => {
    const due = isTop ? tier : `${tier}以上のレアリティ`;
    const gives = isPacked(system) ? 'が必ず1つ以上含まれます' : 'が必ず出現します';
    if (misses === 0) return system === 'card_pack' ? `すべてのパックに${due}${gives}。` : `毎回、${due}${gives}。`;
    return `${rolls(system, misses)}連続で${higherResets ? due : tier}が出なかった場合、次の${NOUNS[system].roll}では${due}${gives}。`;
  },
  rises: (system, roll) => `${nth(system, roll)}以降は、出現確率が通常より高くなります。`,
  chanceOf: (tier) => `${tier}の出現確率`,
  sinceLast: (system) => (system === 'card_pack' ? '前回の出現からのパック数' : '前回の出現からの回数'),
  chanceOnly: '確率',
  atLeastOne: '1つ以上含まれる確率',
  showEach: () => '回数ごとの確率を表示',
  curve: (system, tier) => `${tier}の出現確率（前回の出現からの${system === 'card_pack' ? 'パック数' : '回数'}別）`,
  firstRoll: (system) => nth(system, 1),
  certainRoll: (system, roll) => `${nth(system, roll)}：100%`,
  lowerPity:
    'より高いレアリティが天井に近づいていない場合の確率です。このレアリティの天井に達した場合も、より高いレアリティの確率は変わりません。',
  countedAlone: '回数はプレイヤーごとに数えます。',
  countedInGroup: (others) => `回数はプレイヤーごとに数え、${others}と共有します。`,
  countedInHiddenGroup: '回数はプレイヤーごとに数え、同じグループの他のガチャと共有します。',

  featured: 'ピックアップ',
  featuredAre: (names) => `ピックアップ対象：${names}。`,
  featuredMany: (value) => `${count(value)}個（アイテム一覧に表示）`,
  featuredShare: (tier, share) => `${tier}が出現した場合、${share}の確率でピックアップ対象になります。`,
  guarantee: (tier, losses) =>
    losses === 1
      ? `${tier}がピックアップ対象以外だった場合、次に出現する${tier}は必ずピックアップ対象になります。`
      : `${tier}が${count(losses)}回連続でピックアップ対象以外だった場合、次に出現する${tier}は必ずピックアップ対象になります。`,
  spark: (system, points) =>
    `${NOUNS[system].roll}1${NOUNS[system].unit === 'パック' ? 'つ' : '回'}ごとに1ポイントを獲得できます。<strong>${count(points)}ポイント</strong>でピックアップ対象から好きなアイテム1個と交換できるため、最大でも${rolls(system, points)}で必ず獲得できます。`,

  cards: (system) => (system === 'roguelike' ? '選択肢ごとの提供割合' : '1パック内のカードごとの提供割合'),
  card: (system) => (system === 'roguelike' ? '選択肢' : 'カード'),
  areDifferent: (system) =>
    `${system === 'roguelike' ? '1回の提示' : '1パック'}の中で同じアイテムは重複しません。あるレアリティのアイテムがすべて出た場合、残りのレアリティは互いの比率を保ちます。`,
  depths: '深度別の提示内容',
  depth: '深度',
  deeper: (scaled) =>
    `他の項目の確率はすべて深度0のものです。深度が1増えるごとに、次のレートに倍率がかかります：${scaled}。`,
  scaledBy: (tier, factor) => `${tier} ×${exact(factor)}`,
  depthsNote: '天井に達していない場合に、1回の提示にそのレアリティのアイテムが1つ以上含まれる確率です。',

  results: 'これまでの抽選結果',
  nothingYet: 'この提供割合での抽選はまだ行われていません。',
  applied: (system, value) =>
    `この提供割合は、これまでに約${count(value)}${NOUNS[system].resultUnit}の${NOUNS[system].result}に適用されました。`,
  soFar: '実績',
  promised: '理論値',
  noEvidence: '公表している提供割合と矛盾する結果は見られません。',
  against: (evidence) => `公表している提供割合と矛盾する証拠の強さ：${ratio(evidence)}。`,
  alarm: (time) => `${time}に警告が発せられました。`,
  tooLittle: '警告の基準には達しておらず、偶然の可能性があります。',
  compared: (system) =>
    `${NOUNS[system].roll}ごとに、プレイヤーの回数に応じてその時点で適用された確率と比較しています。そのため「理論値」は上記の提供割合と異なる場合があります。`,
  everythingCounts: '過去のすべての抽選を集計しています。',
  rowsProveLittle:
    '個々の行だけでは判断できません。行が多ければ、偶然に差が出る行もあります。それを考慮しているのは、設定全体に対する証拠の強さだけです。',
  noneTogether: 'これまでのすべての設定を合わせても、公表している提供割合と矛盾する結果は見られません。',
  allTogether: (evidence) =>
    `これまでのすべての設定を合わせた、公表している提供割合と矛盾する証拠の強さ：${ratio(evidence)}。`,
  forcedLeftOut: (system) => `天井によって決まった${NOUNS[system].result}は、割合に含めていません。`,

  announced: '提供割合の変更予告',
  announcedFrom: (time) => `${time}から：`,
  now: '現在',
  afterwards: '変更後',
  moreItemsChange: (value) => `ほかに${count(value)}個のアイテムの提供割合が変わります。`,
  announcedNote: 'すべてのルールを適用し、長期的に見た場合の、全結果に占める割合です。',

  history: '提供割合の変更履歴',
  historyFrom: '開始（UTC）',
  historyUntil: '終了',
  historyOdds: 'レアリティ別提供割合',
  version: 'バージョン',
  configuration: '設定',
  current: '現在',
  notRollable: '抽選できない状態',
  notComputed: '未計算',
  earlierLeftOut: 'これより前の履歴は掲載していません。',

  catalogVersion: (version, config) => `カタログのバージョン${count(version)}、設定 ${config}`,
  computed: '提供割合は、実際の抽選と同じルールから計算した正確な値であり、試行による推定値ではありません。',
  asData: (odds, history) => `データ：${odds}、${history}。`,
  oddsLink: '提供割合と抽選結果',
  historyLink: '変更履歴',
};
