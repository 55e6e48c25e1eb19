import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answer } from '../../interface/client.ts';
import { useInterface } from '../../session/session.tsx';
import type { Config, TemplateType } from './template-values.ts';

const TYPING_PAUSE_MS = 300;

/** The exact odds of a configuration that is still being written, asked for whenever the typing pauses. */
export const useLiveOdds = (type: TemplateType, config: Config, isComplete: boolean) => {
  const api = useInterface();
  const [settled] = useDebouncedValue(JSON.stringify(config), TYPING_PAUSE_MS);
  return useQuery({
    queryKey: ['config-odds', type, settled],
    queryFn: async ({ signal }) => {
      const body = { type, config: JSON.parse(settled) as Config };
      return { odds: await answer(api.POST('/templates/odds', { body, signal })), config: body.config };
    },
    enabled: isComplete,
    placeholderData: keepPreviousData,
  });
};
