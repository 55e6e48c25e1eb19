import { answers, Empty, Id, Strict } from '../../http/schemas.ts';
import { PathUserId } from '../users/users.contract.ts';

const tags = ['Users'];

export const deleteUserByQuery = {
  operationId: 'deleteUserByQuery',
  summary: 'Delete a user named by the query',
  description:
    'Removes the user with user spaces, item instances and template state, all at once. Roll statistics stay, without the user.',
  tags,
  querystring: Strict({ id: Id }),
  response: answers(Empty, 400, 401, 403, 404, 500),
};

export const deleteUser = {
  operationId: 'deleteUser',
  summary: 'Delete a user',
  description: deleteUserByQuery.description,
  tags,
  params: PathUserId,
  response: answers(Empty, 400, 401, 403, 404, 500),
};
