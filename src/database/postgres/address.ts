/** The part of a database URL that names servers, between the user and the path. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** The servers and the database that a URL names, without user, password and parameters; undefined if it names none. */
export const placeOf = (url: string): string | undefined => {
  const [, , hosts, after] = PARTS.exec(url) ?? [];
  return hosts === undefined ? undefined : `${hosts}${after?.replace(/[?#].*$/s, '')}`;
};

/** Pairs hosts with ports that are listed separately, as in `?host=a,b&port=5432,5433`. */
const pairs = (hosts: string, ports: string): [host: string, port: string | undefined][] => {
  const listed = ports.split(',');
  // As in libpq, a single port applies to all hosts.
  return hosts.split(',').map((host, place) => [host, listed.length === 1 ? listed[0] : listed[place]]);
};

const withParameters = (url: string, host: string, port: string | undefined): string => {
  const single = new URL(url);
  single.searchParams.set('host', host);
  if (port) single.searchParams.set('port', port);
  else single.searchParams.delete('port');
  return single.href;
};

/**
 * Splits a database URL into one URL per server: `postgres://a:5432,b:5433/db` means either of two. Returns none if the
 * URL is invalid.
 */
export const serversOf = (url: string): readonly string[] => {
  const [, before, hosts, after] = PARTS.exec(url) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) return [];
  const servers = hosts.split(',').map((host) => `${before}${host}${after}`);
  if (!servers.every((server) => URL.canParse(server))) return [];
  if (servers.length > 1) return hosts.split(',').includes('') ? [] : servers;
  const { searchParams } = new URL(url);
  const given = searchParams.get('host') ?? '';
  if (!given.includes(',')) return servers;
  const listed = pairs(given, searchParams.get('port') ?? '');
  return listed.some(([host]) => host === '') ? [] : listed.map(([host, port]) => withParameters(url, host, port));
};
