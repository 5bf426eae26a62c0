import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from './Button.tsx';
import { Problem } from './Problem.tsx';
import { table } from './Table.tsx';

interface Props {
  readonly list: Pick<
    UseInfiniteQueryResult,
    'error' | 'fetchNextPage' | 'hasNextPage' | 'isFetchNextPageError' | 'isFetchingNextPage'
  >;
  /** Rows that are shown. */
  readonly count: number;
  /** Their name, such as “keys”. */
  readonly what: string;
  readonly rest?: string;
}

/** The end of a list that has more rows: how many are shown, and the button that brings the next ones. */
export const More = ({ list, count, what, rest = 'there are more' }: Props) =>
  list.hasNextPage && (
    <>
      {list.isFetchNextPageError && <Problem error={list.error} />}
      <p className={table.more}>
        {count} {what}, {rest}
        <Button
          small
          busy={list.isFetchingNextPage}
          aria-label={`Show more ${what}`}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      </p>
    </>
  );
