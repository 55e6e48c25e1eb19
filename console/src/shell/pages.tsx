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
  IconListDetails,
  IconSparkles,
  IconSword,
  IconTags,
  IconTestPipe,
  type TablerIcon,
} from '@tabler/icons-react';
import { type ComponentType, lazy } from 'react';
import { LoadError } from './error-boundary.tsx';

type Load = () => Promise<Record<string, ComponentType>>;

/** Each page is loaded when it is first opened. */
const page = (path: string, load: Load) => ({
  path,
  Page: lazy(async () => {
    const loaded = await load().catch((error: unknown) => {
      throw new LoadError('A script could not be loaded.', { cause: error });
    });
    return { default: Object.values(loaded)[0] as ComponentType };
  }),
});

/** A page that the main navigation leads to. */
const place = (path: string, label: string, icon: TablerIcon, load: Load) => ({ ...page(path, load), label, icon });

/** The main navigation, in groups. */
export const NAVIGATION: readonly {
  readonly heading?: string;
  readonly places: readonly ReturnType<typeof place>[];
}[] = [
  { places: [place('/', 'Overview', IconHome, () => import('../pages/overview/overview.tsx'))] },
  {
    heading: 'Catalog',
    places: [
      place('/items', 'Items', IconSword, () => import('../pages/items/items.tsx')),
      place('/classifiers', 'Classifiers', IconTags, () => import('../pages/classifiers/classifiers.tsx')),
      place('/attributes', 'Attributes', IconAdjustments, () => import('../pages/attributes/attributes.tsx')),
      place('/drafts', 'Drafts', IconFilePencil, () => import('../pages/drafts/drafts.tsx')),
      place('/history', 'History', IconHistory, () => import('../pages/history/history.tsx')),
    ],
  },
  {
    heading: 'Rolls',
    places: [
      place('/templates', 'Templates', IconSparkles, () => import('../pages/templates/templates.tsx')),
      place('/simulator', 'Simulator', IconTestPipe, () => import('../pages/simulator/simulator-page.tsx')),
      place('/roll-lab', 'Roll lab', IconDice5, () => import('../pages/roll-lab/roll-lab.tsx')),
      place('/roll-log', 'Roll log', IconListDetails, () => import('../pages/roll-log/roll-log.tsx')),
      place('/statistics', 'Statistics', IconChartBar, () => import('../pages/statistics/statistics.tsx')),
    ],
  },
  {
    heading: 'Players',
    places: [
      place('/players', 'Players', IconBackpack, () => import('../pages/players/players.tsx')),
      place('/spaces', 'Spaces', IconLayoutGrid, () => import('../pages/spaces/spaces.tsx')),
    ],
  },
  {
    heading: 'Team',
    places: [place('/settings', 'Settings', IconKey, () => import('../pages/settings/settings.tsx'))],
  },
];

export const PAGES = [
  ...NAVIGATION.flatMap(({ places }) => places),
  page('/items/:id', () => import('../pages/items/item-page.tsx')),
  page('/new-item', () => import('../pages/items/new-item.tsx')),
  page('/drafts/:id', () => import('../pages/drafts/draft-page.tsx')),
  page('/history/:version', () => import('../pages/history/version-page.tsx')),
  page('/templates/:id', () => import('../pages/templates/template-page.tsx')),
  page('/new-template', () => import('../pages/templates/new-template.tsx')),
  page('/players/:id', () => import('../pages/players/player.tsx')),
];
