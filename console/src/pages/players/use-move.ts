import { useMutation, useQueryClient } from '@tanstack/react-query';
import { explain, type List } from '../../api/client.ts';
import { instancesKey, notifyError } from '../../api/requests.ts';
import { useApi } from '../../session/session.tsx';
import { afterMove, type Instance, othersOn, type Place } from './bag-grid.ts';

interface Move {
  readonly instance: Instance;
  readonly to: Place;
  readonly swap: boolean;
  /** What was shown before the move. */
  readonly before: List<Instance> | undefined;
}

/** The reason of an error, with the names of instances instead of their ids. */
const reasonOf = (error: unknown, instances: readonly Instance[]): string => {
  let reason = explain(error);
  for (const { id, item } of instances) reason = reason.replaceAll(`item instance ${id}`, item.name);
  return reason;
};

/** Moves on screen immediately; if the service rejects it, everything moves back and the reason is shown. */
export const useMove = (userId: string, instances: readonly Instance[]) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const queryKey = instancesKey(userId);
  const mutation = useMutation({
    scope: { id: `moves of ${userId}` },
    mutationFn: ({ instance, to, swap }: Move) =>
      api.itemInstances.move(instance.id, {
        userId,
        userSpaceId: to.bagId,
        spacePositionX: to.x,
        spacePositionY: to.y,
        rotated: to.rotated,
        ...(swap && { swap }),
      }),
    onError: (error, { before }) => {
      queryClient.setQueryData(queryKey, before);
      notifyError('Could not move', new Error(reasonOf(error, instances)));
    },
    // While another move is in progress, the state of the service is not yet what the screen shows.
    onSettled: () => (queryClient.isMutating() > 1 ? undefined : queryClient.invalidateQueries()),
  });
  return (instance: Instance, to: Place): void => {
    const swap = othersOn(instances, instance, to).length > 0;
    const before = queryClient.getQueryData<List<Instance>>(queryKey);
    void queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData<List<Instance>>(
      queryKey,
      (list) => list && { ...list, rows: afterMove(list.rows, instance, to) },
    );
    mutation.mutate({ instance, to, swap, before });
  };
};
