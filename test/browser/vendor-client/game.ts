/// <reference lib="dom" />
/**
 * A browser game on the vendor's published client, bundled as a game would bundle it. It calls every method of the
 * client, one after another, and writes each call into the page.
 */
import Forge from '@forgegames/sdk';

interface Settings {
  readonly baseURL: string;
  readonly username: string;
  readonly password: string;
}

/** The methods of a resource of the client, such as `items.roll`. */
const methodsOf = (name: string, resource: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
    .filter((method) => method !== 'constructor')
    .map((method) => `${name}.${method}`);

const play = async (settings: Settings) => {
  const client = new Forge({ ...settings, maxRetries: 0 });
  const called: string[] = [];
  const call = async <T>(method: string, request: Promise<T>): Promise<T> => {
    const row = document.querySelector('tbody')?.insertRow();
    const cells = [row?.insertCell(), row?.insertCell()];
    if (cells[0]) cells[0].textContent = method;
    try {
      const response = await request;
      called.push(method);
      if (cells[1]) cells[1].textContent = JSON.stringify(response)?.slice(0, 110) ?? 'nothing';
      return response;
    } catch (error) {
      if (cells[1]) cells[1].textContent = String(error);
      throw error;
    }
  };

  const attributes = await call('attributes.list', client.attributes.list({ id: 'damage' }));
  const classifiers = await call('classifiers.list', client.classifiers.list());
  const items = await call('items.list', client.items.list());
  const spaces = await call('spaces.list', client.spaces.list());
  const user = await call('users.create', client.users.create({}));
  const users = await call('users.list', client.users.list());
  const bag = await call('users.spaces.create', client.users.spaces.create(user.id, { spaceId: 'backpack' }));
  const bags = await call('users.spaces.list', client.users.spaces.list(user.id));
  const rolled = await call('items.roll', client.items.roll());
  // Sends the roll result unchanged.
  const instance = await call(
    'itemInstances.create',
    client.itemInstances.create({
      itemId: rolled.item.id,
      itemAttributeInstances: rolled.itemAttributeInstances,
      userId: user.id,
      userSpaceId: bag.id,
    }),
  );
  const instances = await call('itemInstances.list', client.itemInstances.list({ userId: user.id }));
  await call(
    'itemInstances.move',
    client.itemInstances.move(instance.id, { userId: user.id, spacePositionX: 2, spacePositionY: 1 }),
  );
  const placements = await call(
    'itemInstanceSpaces.list',
    client.itemInstanceSpaces.list({ teamUserSpaceId: [bag.id] }),
  );
  await call('itemInstances.delete', client.itemInstances.delete(instance.id));
  await call('users.spaces.delete', client.users.spaces.delete(user.id, bag.id));
  await call('users.delete', client.users.delete({ id: user.id }));
  const refused = await client.itemInstances.delete('nothing').catch((error: unknown) => error);
  return {
    called,
    methods: [
      ...methodsOf('attributes', client.attributes),
      ...methodsOf('classifiers', client.classifiers),
      ...methodsOf('items', client.items),
      ...methodsOf('itemInstances', client.itemInstances),
      ...methodsOf('spaces', client.spaces),
      ...methodsOf('users', client.users),
      ...methodsOf('users.spaces', client.users.spaces),
      ...methodsOf('itemInstanceSpaces', client.itemInstanceSpaces),
    ],
    lists: { attributes, classifiers, items, spaces, users, bags, instances, placements },
    rolled,
    status: refused instanceof Forge.APIError ? refused.status : String(refused),
  };
};

Object.assign(globalThis, { play });
