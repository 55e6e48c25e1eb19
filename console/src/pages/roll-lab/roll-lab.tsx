import { Page } from '../../parts/page.tsx';

export const RollLab = () => <Page title="RollLab">Soon.</Page>;
