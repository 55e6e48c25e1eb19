import { createRatioFormat } from '../../engine/evidence/words.ts';
import { createFormats } from './page-formats.presenter.ts';
import type { Words } from './words.presenter.ts';

const formats = createFormats('zh-Hans', '%');
const { count, exact } = formats;
const ratio = createRatioFormat('zh', (most) => `${most}以上`);

/** A measure word follows every number: 10次, 10包, 5张. */
const NOUNS = {
  gacha: { title: '卡池', roll: '抽取', unit: '次', times: '次数', result: '抽取', resultUnit: '次' },
  idle: { title: '挂机掉落', roll: '抽取', unit: '次', times: '次数', result: '抽取', resultUnit: '次' },
  card_pack: { title: '卡包', roll: '卡包', unit: '包', times: '包数', result: '卡牌', resultUnit: '张' },
  roguelike: { title: '奖励选择', roll: '奖励选择', unit: '次', times: '次数', result: '选项', resultUnit: '个' },
} as const;

const isPacked = (system: keyof typeof NOUNS): boolean => system === 'card_pack' || system === 'roguelike';
const rolls = (system: keyof typeof NOUNS, value: number): string => `${count(value)}${NOUNS[system].unit}`;
const nth = (system: keyof typeof NOUNS, value: number): string => `第${rolls(system, value)}`;

export const chinese: Words = {
  tag: 'zh-Hans',
  language: '简体中文',
  languages: '语言',
  gap: '',
  formats,

  pageTitle: (name) => `${name} 概率公示`,
  subtitle: (system) => `概率公示：${NOUNS[system].title}的概率、规则与抽取结果`,

  oneRoll: (system) => (system === 'roguelike' ? '每次奖励选择' : '每包内容'),
  contents: (system, cards, areDifferent) =>
    system === 'roguelike'
      ? `从${count(cards)}个${areDifferent ? '不同的' : ''}道具中选择`
      : `${count(cards)}张${areDifferent ? '不同的' : ''}卡牌`,
  available: '开放时间',
  always: '无时间限制',
  until: (time) => `截至 ${time}`,
  from: (time) => `${time} 起`,
  between: (start, end) => `${start} 至 ${end}`,
  inForceSince: '生效时间',
  accrual: '累积',
  accrues: (rollsPerHour, maxHours, maxRolls) =>
    `每小时累积${exact(rollsPerHour)}次，最多累积${exact(maxHours)}小时（上限${count(maxRolls)}次）`,

  tier: '稀有度',
  allItems: '全部道具',
  total: '合计',
  never: '不会获得',
  noLimit: '无上限',
  rolls,
  chance: (system) => ({ text: '基础概率', more: `（每${NOUNS[system].resultUnit}${NOUNS[system].result}）` }),
  overall: { text: '综合概率', more: '（含保底）' },
  average: (system) => ({ text: `平均${NOUNS[system].times}`, more: '（首次获得）' }),
  most: (system) => ({ text: `最多${NOUNS[system].times}`, more: '' }),
  inRoll: (system) => ({ text: `每${NOUNS[system].unit}`, more: '至少含一个的概率' }),
  half: '半数玩家获得所需',
  oddsByTier: '各稀有度概率',
  chanceNote: (system) => {
    const { result, resultUnit } = NOUNS[system];
    const average = isPacked(system) ? `（按全部${result}平均）` : '';
    return `“基础概率”指不计保底等机制时，每${resultUnit}${result}的概率${average}。`;
  },
  overallNote: (_system, { pity, guarantee }) => {
    const helps = [...(pity ? ['保底'] : []), ...(guarantee ? ['UP必得机制'] : [])].join('和');
    return `“综合概率”指计入${helps}后，长期来看在全部结果中所占的比例。`;
  },
  averageNote: (system) => {
    const { times } = NOUNS[system];
    return `“平均${times}”指首次获得平均所需的${times}，“最多${times}”指首次获得最多所需的${times}；“–”表示没有上限。`;
  },
  roundingNote: '概率四舍五入至四位有效数字，因此合计可能与100%略有出入。',

  oddsOfItems: '各道具概率',
  item: '道具',
  featuredBadge: 'UP',
  itemsListed: (value) => `此处按稀有度从高到低列出${count(value)}个道具。`,
  allItemsAsJson: (value) => `全部${count(value)}个道具（JSON）`,
  itemsTogether: (value) => `全部${count(value)}个道具合计100%（四舍五入误差除外）。`,

  attributes: '道具属性',
  attribute: '属性',
  range: '范围',
  valueCount: '取值数',
  chanceOfEach: '每个值的概率',
  anyValue: '连续取值',
  inSteps: (step) => `步长${exact(step)}`,
  attributesNote: '属性值在获得道具时随机决定，范围内每个值的概率相同。',
  attributesListed: (value) => `此处列出前${count(value)}项。`,
  allAttributesAsJson: (value) => `全部${count(value)}项（JSON）`,

  pity: '保底机制（概率提升）',
  certain: (system, tier, { misses, isTop, higherResets }) => {
    const due = isTop ? tier : `${tier}或更高稀有度`;
    const gives = isPacked(system) ? '必定包含' : '必定获得';
    if (misses === 0) return `每${NOUNS[system].unit}${gives}${due}。`;
    return `连续${rolls(system, misses)}未获得${higherResets ? due : tier}时，下一${NOUNS[system].unit}${gives}${due}。`;
  },
  rises: (system, roll) => `从${nth(system, roll)}起，概率高于平时。`,
  chanceOf: (tier) => `${tier}的概率`,
  sinceLast: (system) => `距上次获得的${NOUNS[system].times}`,
  chanceOnly: '概率',
  atLeastOne: '至少含一个的概率',
  showEach: (system) => `查看每${NOUNS[system].unit}的概率`,
  curve: (system, tier) => `${tier}的概率（按距上次获得的${NOUNS[system].times}）`,
  firstRoll: (system) => nth(system, 1),
  certainRoll: (system, roll) => `${nth(system, roll)}：100%`,
  lowerPity: '以上为更高稀有度尚未接近保底时的概率。该稀有度触发保底时，更高稀有度的概率保持不变。',
  countedAlone: '保底计数按玩家分别累计。',
  countedInGroup: (others) => `保底计数按玩家分别累计，并与${others}共享。`,
  countedInHiddenGroup: '保底计数按玩家分别累计，并与同组的其他卡池共享。',

  featured: 'UP道具',
  featuredAre: (names) => `本期UP:${names}。`,
  featuredMany: (value) => `${count(value)}个道具（已在道具列表中标出）`,
  featuredShare: (tier, share) => `获得${tier}时，有${share}的概率为UP道具。`,
  guarantee: (tier, losses) =>
    losses === 1
      ? `若获得的${tier}不是UP道具，则下一次获得的${tier}必定为UP道具。`
      : `若连续${count(losses)}次获得的${tier}都不是UP道具，则下一次获得的${tier}必定为UP道具。`,
  spark: (system, points) =>
    `每${NOUNS[system].unit}${NOUNS[system].roll === '卡包' ? '' : NOUNS[system].roll}可获得1点兑换点数。累计<strong>${count(points)}点</strong>即可任选1个UP道具兑换，因此最多${rolls(system, points)}必定可以获得。`,

  cards: (system) => (system === 'roguelike' ? '每个选项的概率' : '每包中各张卡牌的概率'),
  card: (system) => NOUNS[system].result,
  areDifferent: (system) =>
    `同一${system === 'roguelike' ? '次奖励选择' : '包'}内不会出现重复的道具。某一稀有度的道具全部出现后，其余稀有度之间的比例保持不变。`,
  depths: '各深度的奖励选择',
  depth: '深度',
  deeper: (scaled) => `其他各项概率均为深度0时的概率。深度每增加1层，以下权重乘以相应倍率：${scaled}。`,
  scaledBy: (tier, factor) => `${tier} ×${exact(factor)}`,
  depthsNote: '以上为未触发保底时，一次奖励选择中至少出现一个该稀有度道具的概率。',

  results: '至今的抽取结果',
  nothingYet: '目前尚无按此概率产生的抽取结果。',
  applied: (system, value) => `至今约有${count(value)}${NOUNS[system].resultUnit}${NOUNS[system].result}适用此概率。`,
  soFar: '实际占比',
  promised: '应有占比',
  noEvidence: '没有证据表明结果与公示概率不符。',
  against: (evidence) => `结果与公示概率不符的证据强度为 ${ratio(evidence)}。`,
  alarm: (time) => `已于 ${time} 发出警报。`,
  tooLittle: '尚未达到警报标准，可能属于偶然。',
  compared: () => '每个结果均按玩家当时的累计次数，与其当时适用的概率进行比较，因此“应有占比”可能与上方概率不同。',
  everythingCounts: '所有结果均计入统计，不论时间早晚。',
  rowsProveLittle: '单独一行说明不了什么：行数多时，总有一些会偶然出现偏差。只有整个配置的证据强度考虑了这一点。',
  noneTogether: '综合迄今为止的所有配置，没有证据表明结果与公示概率不符。',
  allTogether: (evidence) => `综合迄今为止的所有配置，结果与公示概率不符的证据强度为 ${ratio(evidence)}。`,
  forcedLeftOut: (system) => `占比不包含由保底决定的${NOUNS[system].result}。`,

  announced: '概率变更预告',
  announcedFrom: (time) => `自 ${time} 起：`,
  now: '当前',
  afterwards: '变更后',
  moreItemsChange: (value) => `另有${count(value)}个道具的概率也将变更。`,
  announcedNote: '以上为计入全部规则后，长期来看在全部结果中所占的比例。',

  history: '概率变更记录',
  historyFrom: '开始（UTC）',
  historyUntil: '结束',
  historyOdds: '各稀有度概率',
  version: '版本',
  configuration: '配置',
  current: '至今',
  notRollable: '无法抽取',
  notComputed: '未计算',
  earlierLeftOut: '更早的记录未列出。',

  catalogVersion: (version, config) => `目录版本${count(version)}，配置 ${config}`,
  computed: '概率由实际抽取所用的规则精确计算得出，并非抽样估计。',
  asData: (odds, history) => `数据：${odds}、${history}。`,
  oddsLink: '概率与结果',
  historyLink: '变更记录',
};
