import { Card, Group, SimpleGrid, Skeleton, Stack, ThemeIcon } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { explain, type Schemas } from '../../api/client.ts';
import { usePermissions, useRollStatistics, useTemplateOdds } from '../../api/requests.ts';
import { useBasis, useDraftedOdds } from '../../catalog/drafted.ts';
import { ListPage } from '../../catalog/list-page.tsx';
import { DraftBadge, LiveNote, useIsNew } from '../../catalog/marks.tsx';
import { useCatalogTemplates } from '../../catalog/reads.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { formatMany, formatNumber } from '../../parts/format.ts';
import { Detail, Note, pathTo, TextLink } from '../../parts/text.tsx';
import { Calendar } from './calendar.tsx';
import { SYSTEMS } from './systems.ts';
import { TierBars } from './tier-bars.tsx';

const TemplateCard = ({ template, rolls }: { template: Schemas['Template']; rolls: number | undefined }) => {
  const isNew = useIsNew('template', template.id);
  const { draftId } = useBasis();
  const isLive = draftId === undefined;
  const live = useTemplateOdds(isNew || !isLive ? undefined : template.id);
  const drafted = useDraftedOdds(template.id);
  const odds = isLive ? live : drafted;
  const { name, icon: Icon, rolls: unit } = SYSTEMS[template.type];
  const top = odds.data?.tiers[0];
  return (
    <Card component="article" aria-label={template.name}>
      <Stack gap="md">
        <Group wrap="nowrap" gap="sm">
          <ThemeIcon variant="light" size={40} radius="md">
            <Icon size={22} stroke={1.6} />
          </ThemeIcon>
          <Stack gap={0} miw={0}>
            <Group gap="xs">
              <TextLink href={pathTo('templates', template.id)} size="md" fw={650}>
                {template.name}
              </TextLink>
              <DraftBadge kind="template" id={template.id} />
            </Group>
            <Detail>
              {name} · {rolls === undefined ? 'no rolls yet' : `${formatMany(rolls, 'item')} rolled`}
            </Detail>
          </Stack>
        </Group>
        {odds.data !== undefined && <TierBars tiers={odds.data.tiers} />}
        {isNew && isLive && <Note>The odds of a new template are on the page of the draft.</Note>}
        {odds.isPending && !(isNew && isLive) && <Skeleton height={120} />}
        {odds.isError && <Note c="red">{explain(odds.error)}</Note>}
        {top?.expectedRolls != null && (
          <Note>
            The first {top.name ?? 'item'} takes {formatNumber(top.expectedRolls, 1)} {unit} on average
            {top.worstRolls === null ? '.' : `, and ${formatNumber(top.worstRolls)} at most.`}
          </Note>
        )}
      </Stack>
    </Card>
  );
};

export const Templates = () => {
  const templates = useCatalogTemplates();
  const statistics = useRollStatistics();
  const { canDesign } = usePermissions();
  return (
    <ListPage
      kind="template"
      about="Game systems that roll: banners with pity, card packs, roguelike offers, idle rewards. The odds are exact and include every rule."
      create={<NewButton href="/new-template">New template</NewButton>}
      icon={IconSparkles}
      none="A template turns your items into a banner, a pack, an offer or idle rewards, with exact odds."
      queries={[templates]}
      note={!canDesign && <LiveNote>These odds are those of the live catalog.</LiveNote>}
    >
      {({ rows }) => (
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            {rows.map((template) => (
              <TemplateCard
                key={template.id}
                template={template}
                rolls={statistics.data?.rollsByTemplate[template.id]}
              />
            ))}
          </SimpleGrid>
          <Calendar templates={rows} />
        </Stack>
      )}
    </ListPage>
  );
};
