import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failed } from './Failed.tsx';
import { Skeleton } from './States.tsx';

interface Props<T> {
  readonly read: UseQueryResult<T>;
  readonly children: (present: T) => ReactNode;
}

/** A form with values that are read again when it opens: somebody may have changed them since the list was read. */
export function Fresh<T>({ read, children }: Props<T>) {
  if (read.isError && read.data === undefined) {
    return <Failed read={read} />;
  }
  if (read.data === undefined || !read.isFetchedAfterMount) return <Skeleton lines={4} />;
  return children(read.data);
}
