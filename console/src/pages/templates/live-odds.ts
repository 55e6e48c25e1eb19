import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Schemas, unwrap } from '../../interface/client.ts';
import { useApi } from '../../session/session.tsx';
import type { Config, TemplateType } from './template-values.ts';

const TYPING_PAUSE_MS = 300;

interface LiveOdds {
  readonly odds: Schemas['ConfigOdds'];
  /** The configuration that these odds belong to. */
  readonly config: Config;
}

/** The exact odds of a configuration that is being edited, fetched whenever typing pauses. */
export const useLiveOdds = (type: TemplateType, config: Config, isComplete: boolean) => {
  const api = useApi();
  const [settled] = useDebouncedValue(JSON.stringify(config), TYPING_PAUSE_MS);
  const [last, setLast] = useState<LiveOdds>();
  const { data, error, isFetching } = useQuery({
    queryKey: ['config-odds', type, settled],
    queryFn: async ({ signal }): Promise<LiveOdds> => {
      const body = { type, config: JSON.parse(settled) as Config };
      return { odds: await unwrap(api.POST('/templates/odds', { body, signal })), config: body.config };
    },
    enabled: isComplete,
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    if (data !== undefined) setLast(data);
  }, [data]);
  // While the configuration is invalid, the last odds stay, so that the layout does not jump.
  return { data: data ?? last, error, isFetching };
};
