import { Page } from '../../parts/page.tsx';

export const Attributes = () => <Page title="Attributes">Soon.</Page>;
