import type { UseQueryResult } from '@tanstack/react-query';
import { Button } from './Button.tsx';
import { Select, type SelectProps } from './Field.tsx';
import { Skeleton } from './States.tsx';

interface Props extends Omit<SelectProps, 'beside' | 'hint'> {
  readonly read: Pick<UseQueryResult, 'data' | 'isError' | 'isFetching' | 'refetch'>;
}

/** A choice whose names are read: it says so until they are there, and reads them again where that failed. */
export const ReadSelect = ({ read, ...rest }: Props) => {
  const isMissing = read.data === undefined;
  return (
    <Select
      {...rest}
      beside={isMissing && !read.isError && <Skeleton inline what="The names are being read." />}
      hint={
        isMissing &&
        read.isError && (
          <>
            The names could not be read.{' '}
            <Button small busy={read.isFetching} onClick={() => void read.refetch()}>
              Read them again
            </Button>
          </>
        )
      }
    />
  );
};
