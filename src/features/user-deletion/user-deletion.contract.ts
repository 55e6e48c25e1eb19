import { Empty, Id, responses, Strict } from '../../http/schemas.ts';
import { PathUserId } from '../users/users.contract.ts';

const tags = ['Users'];

export const deleteUserByQuery = {
  operationId: 'deleteUserByQuery',
  'x-reason': true,
  summary: 'Delete a user given in the query',
  description: 'The same as `DELETE /users/{userId}`, for clients that send the id as a query parameter.',
  tags,
  querystring: Strict({ id: Id }),
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 500),
};

export const deleteUser = {
  operationId: 'deleteUser',
  'x-reason': true,
  summary: 'Delete a user',
  description:
    'Deletes the user with all user spaces, item instances and template state, in one transaction. Roll statistics are kept, without the user.',
  tags,
  params: PathUserId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 500),
};
