import { ItemwrightError } from '@itemwright/client';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { asSentence, type Schemas } from '../../api/client.ts';
import { useTemplateOdds } from '../../api/requests.ts';
import { useBasis } from '../../catalog/drafted.ts';
import { useApi } from '../../session/session.tsx';
import type { Config, TemplateType } from './template-values.ts';

const TYPING_PAUSE_MS = 300;

interface LiveOdds {
  readonly odds: Schemas['ConfigOdds'];
  /** The depth that these odds belong to. */
  readonly depth: number;
}

interface LiveOddsRequest {
  readonly type: TemplateType;
  readonly config: Config;
  /** Of roguelike offers; 0 for other types. */
  readonly depth: number;
}

/** While there are no odds, the last ones stay, so that the layout does not jump. */
const useLast = (data: LiveOdds | undefined): LiveOdds | undefined => {
  const [last, setLast] = useState<LiveOdds>();
  useEffect(() => {
    if (data !== undefined) setLast(data);
  }, [data]);
  return data ?? last;
};

/** The exact odds of a configuration that is being edited, fetched whenever typing pauses. */
export const useLiveOdds = ({ type, config, depth }: LiveOddsRequest, isComplete: boolean) => {
  const api = useApi();
  const { draftId, key } = useBasis();
  const [settled] = useDebouncedValue(JSON.stringify({ config, depth }), TYPING_PAUSE_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['config-odds', key, type, settled],
    queryFn: async ({ signal }): Promise<LiveOdds> => {
      const asked = JSON.parse(settled) as Pick<LiveOddsRequest, 'config' | 'depth'>;
      const body = { type, config: asked.config, draftId, ...(asked.depth > 0 && { depth: asked.depth }) };
      return { odds: await api.templates.previewOdds(body, { signal }), depth: asked.depth };
    },
    enabled: isComplete,
    placeholderData: keepPreviousData,
  });
  return { data: useLast(data), error, isFetching };
};

/** The exact odds of a saved template, for those who cannot edit it. */
export const useSavedOdds = (templateId: string | undefined, depth: number) => {
  const [settled] = useDebouncedValue(depth, TYPING_PAUSE_MS);
  const { data: odds, error, isFetching } = useTemplateOdds(templateId, settled);
  const data = useMemo(() => odds && { odds, depth: settled }, [odds, settled]);
  return { data: useLast(data), error, isFetching };
};

/** Why there are no odds at a depth; undefined if the depth is not to blame. */
export const depthFaultOf = (error: unknown): string | undefined => {
  if (!(error instanceof ItemwrightError)) return undefined;
  const issue = error.issues.find(({ path }) => path === '/body/depth' || path === '/query/depth');
  return issue && asSentence(issue.message);
};
