import { Center, Loader } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { hasStatus } from '../api/client.ts';
import { useApi } from '../session/session.tsx';
import { draftQuery, storeChoice, useChoice, useTeamId } from './draft.ts';

/** Others may work on the same draft, so it is read anew from time to time. */
const REFRESH_MS = 30_000;

/**
 * Shows pages once the chosen draft is loaded: a form that begins with live values would put them into the draft. If the
 * draft is gone, says so and goes on without it.
 */
export const DraftGate = ({ children }: { children: ReactNode }) => {
  const api = useApi();
  const teamId = useTeamId();
  const choice = useChoice();
  const id = choice.to === 'draft' ? choice.id : '';
  const { data, error } = useQuery({ ...draftQuery(api, id), enabled: id !== '', refetchInterval: REFRESH_MS });
  const isGone = id !== '' && hasStatus(error, 404);
  const name = data?.draft.name;
  useEffect(() => {
    if (!isGone) return;
    storeChoice(teamId, { to: 'new draft' });
    notifications.show({
      title: name === undefined ? 'The draft is gone' : `The draft ${name} is gone`,
      message: 'It was published or deleted. You see the live catalog; your next edit starts another draft.',
      autoClose: 10_000,
    });
  }, [isGone, teamId, name]);
  if (id !== '' && data === undefined && !isGone && error === null)
    return (
      <Center mih={240}>
        <Loader aria-label="Loading the draft" />
      </Center>
    );
  return children;
};
