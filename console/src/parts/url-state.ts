import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';

/** Writes a value into the URL without a new entry in the history; none if it is the usual one. */
const write = (name: string, value: string, usual: string): void => {
  const url = new URL(window.location.href);
  if (value === usual) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  window.history.replaceState(window.history.state, '', url);
};

/** A text that is kept in the URL, so that it outlives a reload, going back and sending a link. Null stands for the usual one. */
export const useUrlState = (name: string, usual = ''): [string, (value: string | null) => void] => {
  const inUrl = new URLSearchParams(useSearch()).get(name) ?? usual;
  // Of its own: a browser ignores changes of the URL that follow each other too fast.
  const [value, setValue] = useState(inUrl);
  useEffect(() => setValue(inUrl), [inUrl]);
  const change = (chosen: string | null): void => {
    const next = chosen ?? usual;
    setValue(next);
    write(name, next, usual);
  };
  return [value, change];
};
