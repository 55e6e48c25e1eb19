import { CommandError } from '../shared.ts';
import type { FolderRequest } from './folder.ts';
import type { Nameable } from './identifiers.ts';

/** An id that the code of a game uses. */
export interface Constant extends Nameable {
  /** What people call it. */
  readonly name: string;
}

/** The constants of a kind. */
export interface ConstantGroup {
  /** Such as `Items`. */
  readonly title: string;
  /** One of them, such as `Item`. */
  readonly one: string;
  readonly constants: readonly Constant[];
}

/** An id that a service made up says nothing, unlike one that somebody chose. */
const MADE_UP = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What to call an entity: ids stay, so they come first. */
const textOf = ({ id, name }: Named): string => (MADE_UP.test(id) ? name : id);

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A folder may have been edited, so anything may be in it. */
const named = (value: unknown, kind: string): Named => {
  const { id, name } = (value ?? {}) as Partial<Named>;
  const said = typeof name === 'string' && name !== '' ? ` "${name}"` : '';
  if (typeof id !== 'string' || id === '')
    throw new CommandError(`the ${kind}${said} has no id: publish the folder, and pull it again`);
  if (typeof name !== 'string') throw new CommandError(`the ${kind} ${id} has no name`);
  return { id, name };
};

/** In an order that does not depend on where they come from. An id that is there twice is one. */
const sorted = (constants: readonly Constant[]): Constant[] =>
  [...new Map(constants.map((constant) => [constant.id, constant])).values()].sort((one, other) =>
    one.id < other.id ? -1 : 1,
  );

const groupOf = (title: string, one: string, entities: readonly unknown[] = []): ConstantGroup => ({
  title,
  one,
  constants: sorted(
    entities
      .map((entity) => named(entity, one.toLowerCase()))
      .map((entity) => ({ ...entity, parts: [textOf(entity)] })),
  ),
});

/** Options are called by their classifier, too: a rarity and an element may both be called common. */
const optionsOf = (classifiers: readonly unknown[] = []): Constant[] =>
  classifiers.flatMap((classifier) => {
    const { classifierOptions: options } = classifier as { classifierOptions?: unknown };
    const owner = named(classifier, 'classifier');
    if (!Array.isArray(options)) throw new CommandError(`the classifier ${owner.id} has no list of options`);
    return options.map((option) => {
      const { id, name } = named(option, `option of ${owner.id}`);
      return { id, name: `${owner.name}: ${name}`, parts: [textOf(owner), textOf({ id, name })] };
    });
  });

/** Every id of a catalog that the code of a game may use. */
export const constantsOf = (catalog: FolderRequest): ConstantGroup[] => [
  groupOf('Items', 'Item', catalog.items),
  groupOf('Attributes', 'Attribute', catalog.attributes),
  groupOf('Classifiers', 'Classifier', catalog.classifiers),
  { title: 'Options', one: 'Option', constants: sorted(optionsOf(catalog.classifiers)) },
  groupOf('Templates', 'Template', catalog.templates),
  groupOf('Spaces', 'Space', catalog.spaces),
];
