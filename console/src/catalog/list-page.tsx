import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { asSentence } from '../api/client.ts';
import { usePermissions } from '../api/requests.ts';
import { AllLoaded, type AllLoadedProps, Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import type { Kind } from './entities.ts';
import { DeletedInDraft } from './marks.tsx';

interface ListPageProps<T extends readonly unknown[]> extends Omit<AllLoadedProps<T>, 'empty'> {
  readonly kind: Kind;
  readonly about: string;
  /** The button that creates one, for those who may. */
  readonly create: ReactNode;
  readonly icon: TablerIcon;
  /** What to say while there are none. */
  readonly none: ReactNode;
  readonly note?: ReactNode;
  readonly dialog?: ReactNode;
}

/** The page of all entities of a kind. */
export const ListPage = <T extends readonly unknown[]>(props: ListPageProps<T>) => {
  const { kind, about, create, icon, none, note, dialog, ...loading } = props;
  const { canDesign } = usePermissions();
  const action = canDesign && create;
  const empty = (
    <Empty title={`No ${kind}s yet`} icon={icon} action={action}>
      {none}
    </Empty>
  );
  return (
    <Page title={asSentence(`${kind}s`)} about={about} curl={{ path: `/${kind}s` }} actions={action}>
      {note}
      <AllLoaded {...loading} empty={empty} />
      <DeletedInDraft kind={kind} />
      {dialog}
    </Page>
  );
};
