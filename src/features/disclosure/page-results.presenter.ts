import { isWorthSaying } from '../../engine/evidence/words.ts';
import {
  body,
  cell,
  column,
  head,
  note,
  type PageContent,
  paragraph,
  row,
  section,
  smallTable,
  tierName,
} from './page-parts.presenter.ts';

const verdict = ({ words, results: { evidence }, alarm }: PageContent): string => {
  if (alarm !== null)
    return `<p class="verdict bad">${words.against(alarm.evidence)}${words.gap}${words.alarm(words.formats.moment(alarm.at))}</p>`;
  const text = isWorthSaying(evidence) ? `${words.against(evidence)}${words.gap}${words.tooLittle}` : words.noEvidence;
  return `<p class="verdict">${text}</p>`;
};

const together = ({ words, results: { templateEvidence } }: PageContent): string =>
  isWorthSaying(templateEvidence) ? words.allTogether(templateEvidence) : words.noneTogether;

/** Results beside what was promised for the very same rolls: the odds of the long run would not be like for like. */
export const resultSection = (content: PageContent): string => {
  const { words, type, results, tiers, pack, pity } = content;
  const { percent } = words.formats;
  if (results.rolls === 0) return section('results', words.results, paragraph(words.nothingYet));
  const byTier = new Map(results.tiers.map((one) => [one.tier, one]));
  const rows = tiers.map((tier) => {
    const { share = 0, expected = 0 } = byTier.get(tier.tier) ?? {};
    return row(tierName(content, tier), cell(percent(share)), cell(percent(expected)));
  });
  const columns = [column(words.tier), column(words.soFar), column(words.promised)];
  return section(
    'results',
    words.results,
    paragraph(words.applied(type, results.rolls)),
    results.tiers.length > 0 && smallTable(words.results, head(...columns), body(rows)),
    verdict(content),
    note(
      words,
      words.compared(type),
      words.everythingCounts,
      words.rowsProveLittle,
      together(content),
      pack !== null && pity.length > 0 && words.forcedLeftOut(type),
    ),
  );
};
