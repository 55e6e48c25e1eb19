import { DraftBadge, UnlessDeleted } from '../../catalog/marks.tsx';
import { useCatalogTemplate } from '../../catalog/reads.ts';
import { Copy } from '../../parts/copy.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { usePathId } from '../../parts/text.tsx';
import { SYSTEMS } from './systems.ts';
import { TemplateEditor } from './template-editor.tsx';

export const TemplatePage = () => {
  const id = usePathId();
  const template = useCatalogTemplate(id);
  return (
    <Page
      title={template.data?.name ?? 'Template'}
      about={template.data && `${SYSTEMS[template.data.type].name}. ${SYSTEMS[template.data.type].about}`}
      back={{ href: '/templates', label: 'Templates' }}
      curl={{ path: `/templates/${encodeURIComponent(id)}/odds` }}
      actions={
        <>
          <DraftBadge kind="template" id={id} />
          <Copy text={id} label="Copy id" />
        </>
      }
    >
      <UnlessDeleted kind="template" id={id}>
        <Loaded query={template} lines={8}>
          {(found) => <TemplateEditor template={found} type={found.type} />}
        </Loaded>
      </UnlessDeleted>
    </Page>
  );
};
