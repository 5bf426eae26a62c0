import { memo, useMemo, type KeyboardEvent } from 'react';
import { chainsIn } from '../../lib/records.ts';
import { said } from '../../lib/said.ts';
import { wordsMax } from '../../lib/short-id.ts';
import { exactLedgerTime, type Zone } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { columnWidth, LongTable, longTable as styles } from '../../ui/LongTable.tsx';
import { ShortId } from '../../ui/ShortId.tsx';
import { isWords, widest } from './column-widths.ts';
import { useFieldNames, useShowAmount } from '../ledger/use-ledger.ts';
import {
  cellText,
  columnsOf,
  type Column,
  type RecordKind,
  type RecordRow,
  type Showing,
} from './columns.ts';

interface Props {
  readonly kind: RecordKind;
  readonly rows: readonly RecordRow[];
  readonly onOpen: (row: RecordRow) => void;
}

/** Rows of the ledger. Columns are as wide as their longest value. */
export function ResultTable({ kind, rows, onOpen }: Props) {
  const zone = useZone();
  const show = useShowAmount();
  const names = useFieldNames();
  const showing = useMemo(() => ({ zone, show, code: names.code }), [zone, show, names]);
  const columns = useMemo(
    () =>
      columnsOf[kind].map((column) => {
        const named = kind === 'balance' ? undefined : names.data(kind, column.name);
        return named === undefined ? column : { ...column, title: said(named.name) };
      }),
    [kind, names],
  );
  const chains = useMemo(
    () =>
      kind === 'transfer'
        ? chainsIn(rows as unknown as readonly { flags: number; timestamp: string }[])
        : [],
    [kind, rows],
  );
  const template = useMemo(
    () =>
      columns
        .map((column) =>
          columnWidth(Math.max(column.title.length, widest(column, rows, kind, showing))),
        )
        .join(' '),
    [columns, rows, kind, showing],
  );
  return (
    <LongTable
      label="Rows"
      heads={columns.map(({ name, title, kind: shown }) => ({ name, title, end: isEnd(shown) }))}
      template={template}
      count={rows.length}
      renderRow={(index, start) => (
        <ResultRow
          key={index}
          index={index}
          start={start}
          row={rows[index] ?? {}}
          kind={kind}
          chain={chains[index]}
          template={template}
          showing={showing}
          onOpen={onOpen}
        />
      )}
    />
  );
}

const isEnd = (kind: string): boolean => ['amount', 'net', 'number'].includes(kind);

interface RowProps {
  readonly index: number;
  /** Distance from the first row, in pixels. */
  readonly start: number;
  readonly row: RecordRow;
  readonly kind: RecordKind;
  readonly chain: number | undefined;
  readonly template: string;
  readonly showing: Showing;
  readonly onOpen: (row: RecordRow) => void;
}

/** Drawn once while it is in sight: scrolling draws only the rows that come. */
const ResultRow = memo(function ResultRow(props: RowProps) {
  const { index, start, row, kind, chain, template, showing, onOpen } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onOpen(row);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Enter opens the row
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={0}
      className={styles.row}
      data-chain={chain}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={() => onOpen(row)}
      onKeyDown={onKeyDown}
    >
      {columnsOf[kind].map((column) => {
        const text = cellText(column, row, kind, showing);
        return (
          <div
            key={column.name}
            role="cell"
            // The two parts of a long ID would be read as two numbers.
            aria-label={column.kind === 'id' && text !== '' ? text : undefined}
            data-end={isEnd(column.kind) || undefined}
            data-words={isWords(column.kind) || undefined}
            title={titleOf(column, row, text, showing.zone)}
          >
            {column.kind === 'id' ? <ShortId id={text} /> : text}
          </div>
        );
      })}
    </div>
  );
});

/** What a cell may not show whole. */
function titleOf(
  { kind, name }: Column,
  row: RecordRow,
  text: string,
  zone: Zone,
): string | undefined {
  if (kind === 'time') return exactLedgerTime(String(row[name]), zone);
  return isWords(kind) && text.length > wordsMax ? text : undefined;
}
