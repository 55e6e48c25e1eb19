import {
  IconAdjustments,
  IconBackpack,
  IconChartBar,
  IconDice5,
  IconFilePencil,
  IconHistory,
  IconHome,
  IconKey,
  IconLayoutGrid,
  IconSparkles,
  IconSword,
  IconTags,
  IconTestPipe,
  type TablerIcon,
} from '@tabler/icons-react';
import { type ComponentType, lazy } from 'react';

interface Place {
  readonly path: string;
  readonly label: string;
  readonly icon: TablerIcon;
}

/** The main navigation, in groups. */
export const NAVIGATION: readonly { readonly heading?: string; readonly places: readonly Place[] }[] = [
  { places: [{ path: '/', label: 'Overview', icon: IconHome }] },
  {
    heading: 'Catalog',
    places: [
      { path: '/items', label: 'Items', icon: IconSword },
      { path: '/classifiers', label: 'Classifiers', icon: IconTags },
      { path: '/attributes', label: 'Attributes', icon: IconAdjustments },
      { path: '/drafts', label: 'Drafts', icon: IconFilePencil },
      { path: '/history', label: 'History', icon: IconHistory },
    ],
  },
  {
    heading: 'Rolls',
    places: [
      { path: '/templates', label: 'Templates', icon: IconSparkles },
      { path: '/simulator', label: 'Simulator', icon: IconTestPipe },
      { path: '/roll-lab', label: 'Roll lab', icon: IconDice5 },
      { path: '/statistics', label: 'Statistics', icon: IconChartBar },
    ],
  },
  {
    heading: 'Players',
    places: [
      { path: '/players', label: 'Players', icon: IconBackpack },
      { path: '/spaces', label: 'Spaces', icon: IconLayoutGrid },
    ],
  },
  { heading: 'Team', places: [{ path: '/settings', label: 'Settings', icon: IconKey }] },
];

/** Each page is loaded when it is first opened. */
const page = (load: () => Promise<Record<string, ComponentType>>): ComponentType =>
  lazy(async () => ({ default: Object.values(await load())[0] as ComponentType }));

export const PAGES: readonly { readonly path: string; readonly Page: ComponentType }[] = [
  { path: '/', Page: page(() => import('../pages/overview/overview.tsx')) },
  { path: '/items', Page: page(() => import('../pages/items/items.tsx')) },
  { path: '/items/:id', Page: page(() => import('../pages/items/item-page.tsx')) },
  { path: '/new-item', Page: page(() => import('../pages/items/new-item.tsx')) },
  { path: '/classifiers', Page: page(() => import('../pages/classifiers/classifiers.tsx')) },
  { path: '/attributes', Page: page(() => import('../pages/attributes/attributes.tsx')) },
  { path: '/drafts', Page: page(() => import('../pages/drafts/drafts.tsx')) },
  { path: '/drafts/:id', Page: page(() => import('../pages/drafts/draft-page.tsx')) },
  { path: '/history', Page: page(() => import('../pages/history/history.tsx')) },
  { path: '/history/:version', Page: page(() => import('../pages/history/version-page.tsx')) },
  { path: '/templates', Page: page(() => import('../pages/templates/templates.tsx')) },
  { path: '/templates/:id', Page: page(() => import('../pages/templates/template-page.tsx')) },
  { path: '/new-template', Page: page(() => import('../pages/templates/new-template.tsx')) },
  { path: '/simulator', Page: page(() => import('../pages/simulator/simulator-page.tsx')) },
  { path: '/roll-lab', Page: page(() => import('../pages/roll-lab/roll-lab.tsx')) },
  { path: '/statistics', Page: page(() => import('../pages/statistics/statistics.tsx')) },
  { path: '/players', Page: page(() => import('../pages/players/players.tsx')) },
  { path: '/players/:id', Page: page(() => import('../pages/players/player.tsx')) },
  { path: '/spaces', Page: page(() => import('../pages/spaces/spaces.tsx')) },
  { path: '/settings', Page: page(() => import('../pages/settings/settings.tsx')) },
];
