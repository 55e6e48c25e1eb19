import { Page } from '../../parts/page.tsx';

export const Classifiers = () => <Page title="Classifiers">Soon.</Page>;
