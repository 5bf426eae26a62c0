import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './Problem.tsx';
import { Skeleton } from './States.tsx';

interface Props<T> {
  readonly read: UseQueryResult<T>;
  readonly children: (present: T) => ReactNode;
}

/** A form of what was read anew when it was opened: somebody may have changed it since its list was read. */
export function Fresh<T>({ read, children }: Props<T>) {
  if (read.isError && read.data === undefined) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  if (read.data === undefined || !read.isFetchedAfterMount) return <Skeleton lines={4} />;
  return children(read.data);
}
