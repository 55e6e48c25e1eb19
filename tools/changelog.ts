/** The changelog: sections with a version and a date, newest first, and one for what is not released yet. */

const UNRELEASED = '## Unreleased\n';

/** Where the text of the unreleased section starts and ends. */
const boundsOf = (changelog: string): readonly [start: number, end: number] => {
  const heading = changelog.indexOf(`\n${UNRELEASED}`);
  if (heading === -1) throw new Error('CHANGELOG.md has no section "## Unreleased"');
  const start = heading + 1 + UNRELEASED.length;
  const next = changelog.indexOf('\n## ', start - 1);
  return [start, next === -1 ? changelog.length : next + 1];
};

/** The versions that have a section, newest first. */
export const versionsIn = (changelog: string): string[] =>
  [...changelog.matchAll(/^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/gm)].map(([, version]) => version as string);

/** Says why a version cannot be released, if so. */
export const refusalOf = (changelog: string, version: string, present: string): string | undefined => {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return `${version} is not a version such as 1.2.3: there are no prereleases`;
  if (versionsIn(changelog).includes(version)) return `CHANGELOG.md already has a section for ${version}`;
  if (version.localeCompare(present, 'en', { numeric: true }) <= 0)
    return `${version} is not later than the present version, ${present}`;
  const [start, end] = boundsOf(changelog);
  const isEmpty = changelog
    .slice(start, end)
    .split('\n')
    .every((line) => line.trim() === '' || line.startsWith('#'));
  return isEmpty ? 'CHANGELOG.md has nothing under "## Unreleased": there is nothing to release' : undefined;
};

/** The changelog in which everything unreleased is part of a version. */
export const release = (changelog: string, version: string, day: string): string => {
  const [start, end] = boundsOf(changelog);
  const entries = changelog.slice(start, end).trim();
  return `${changelog.slice(0, start)}\n## ${version} - ${day}\n\n${entries}\n${end === changelog.length ? '' : '\n'}${changelog.slice(end)}`;
};
