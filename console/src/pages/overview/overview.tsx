import { Page } from '../../parts/page.tsx';

export const Overview = () => <Page title="Overview">Soon.</Page>;
