/** Where links of pages lead on the site, which has no folders: pages, pictures and files are beside each other. */
import { basename, dirname, join } from 'node:path';
import type { Page } from './contents.ts';

/** The id of a heading, as on GitHub. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export interface Links {
  /** The link from one page to another file; undefined if that is not on the site. */
  find(from: Page, link: string, extension?: string): string | undefined;
  /** Files that pages link to, besides pages, by their path in the repository. */
  readonly files: ReadonlySet<string>;
}

/** Only what is in the documentation's own folder is published. */
const isFile = (path: string): boolean => /^docs\/(?!decisions\/).*\.(?:webp|png|json|yml|sql)$/.test(path);

export const createLinks = (pages: readonly Page[]): Links => {
  const names = new Map(pages.map(({ file, name }) => [file, name]));
  const files = new Set<string>();
  return {
    files,
    find: (from, link, extension = '') => {
      if (/^(?:[a-z]+:|#)/.test(link)) return link;
      const [path = '', anchor] = link.split('#');
      const target = join(dirname(from.file), path);
      const hash = anchor === undefined ? '' : `#${anchor}`;
      const name = names.get(target);
      if (name !== undefined)
        return `${name === '' ? (extension && 'index') || './' : name}${name || extension ? extension : ''}${hash}`;
      if (!isFile(target)) return undefined;
      files.add(target);
      return `files/${basename(target)}`;
    },
  };
};

interface Operation {
  readonly tags: readonly string[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The place in the API reference of an operation that is written `POST /items/roll`; undefined if there is none. */
export const operationLink = ({ paths }: ApiDocument, code: string): string | undefined => {
  const [, method = '', path = ''] = /^(GET|POST|PUT|DELETE) (\/[^?…\s]*)(?:[?…].*)?$/.exec(code) ?? [];
  const [tag] = paths[path]?.[method.toLowerCase()]?.tags ?? [];
  return tag && `../docs/#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method}${path}`;
};
