/** The filters of a page, kept in its address. The page reads them and not the router, whose code every page loads. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';

type Search = Readonly<Record<string, unknown>>;

/**
 * `read` keeps what it knows of the address. A filter that is left out is taken off. With `keep`, the browser's own way back leads to
 * the filters before.
 */
export function useFilters<T extends object>(
  read: (search: Record<string, unknown>) => T,
): readonly [filters: T, change: (filters: T, how?: { readonly keep: true }) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = useMemo(() => read({ ...search }), [read, search]);
  const change = (next: T, how?: { readonly keep: true }) =>
    void navigate({
      to: '.',
      search: { ...next },
      replace: how === undefined,
      resetScroll: false,
    });
  return [filters, change];
}
