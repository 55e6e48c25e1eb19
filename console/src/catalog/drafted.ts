import { useQuery } from '@tanstack/react-query';
import { usePermissions } from '../api/requests.ts';
import { useApi } from '../session/session.tsx';
import { useActiveDraft } from './draft.ts';
import { inTurn } from './plan.ts';

/** What the service computes on the draft that the console shows, for those who may change the catalog. */

/** The draft that odds, simulations and test rolls are made on; nothing if they are made on the live catalog. */
export const useBasis = (): { readonly draftId?: string; readonly key: string } => {
  const draft = useActiveDraft();
  const { canDesign } = usePermissions();
  return draft === undefined || !canDesign
    ? { key: 'live' }
    : { draftId: draft.id, key: `${draft.id} ${draft.revision}` };
};

/** The odds of a template as the draft makes it; disabled without a draft. */
export const useDraftedOdds = (templateId: string) => {
  const api = useApi();
  const { draftId, key } = useBasis();
  return useQuery({
    queryKey: ['drafted-odds', key, templateId],
    queryFn: ({ signal }) => inTurn(() => api.templates.previewOdds({ templateId, draftId }, { signal })),
    enabled: draftId !== undefined,
  });
};
