import { Page } from '../../parts/page.tsx';

export const TemplatePage = () => <Page title="Template">Soon.</Page>;
