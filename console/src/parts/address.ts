import { useSearchParams } from 'wouter';

/** A choice that is kept in the address, so that a reload and a shared link have it; an empty text if there is none. */
export const useInAddress = (name: string): readonly [string, (value: string | null) => void] => {
  const [parameters, setParameters] = useSearchParams();
  const set = (value: string | null) =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null || value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return [parameters.get(name) ?? '', set];
};
