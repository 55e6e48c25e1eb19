import { Page } from '../../parts/page.tsx';

export const Statistics = () => <Page title="Statistics">Soon.</Page>;
