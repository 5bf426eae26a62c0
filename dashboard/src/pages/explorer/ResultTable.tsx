import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef, type KeyboardEvent } from 'react';
import { chainsIn } from '../../lib/records.ts';
import { exactLedgerTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { cellText, columnsOf, type RecordKind, type RecordRow } from './columns.ts';
import styles from './Explorer.module.css';

const rowHeight = 34;
const overscan = 14;
/** Rows that are measured for the widths of the columns. */
const measuredMax = 9_000;

interface Props {
  readonly kind: RecordKind;
  readonly rows: readonly RecordRow[];
  readonly onOpen: (row: RecordRow) => void;
}

/** Rows of the ledger: only those in sight are in the document. Columns are as wide as their longest value. */
export function ResultTable({ kind, rows, onOpen }: Props) {
  const zone = useZone();
  const scroller = useRef<HTMLDivElement>(null);
  const columns = columnsOf[kind];
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
        .map((column) => {
          const texts = rows.slice(0, measuredMax).map((row) => cellText(column, row, kind, zone));
          const widest = texts.reduce((most, { length }) => Math.max(most, length), 0);
          return `calc(${Math.max(widest, column.title.length)}ch + 28px)`;
        })
        .join(' '),
    [columns, rows, kind, zone],
  );
  // oxlint-disable-next-line react/incompatible-library -- the compiler is not used
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached with the keyboard (axe: scrollable-region-focusable)
    <div ref={scroller} className={styles.scroller} tabIndex={0} role="region" aria-label="Rows">
      <div role="table" aria-rowcount={rows.length + 1} className={styles.grid}>
        <div role="rowgroup" className={styles.heads}>
          <div
            role="row"
            aria-rowindex={1}
            className={styles.row}
            style={{ gridTemplateColumns: template }}
          >
            {columns.map(({ name, title, kind: shown }) => (
              <div key={name} role="columnheader" data-kind={shown}>
                {title}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <ResultRow
              key={index}
              index={index}
              start={start}
              row={rows[index] ?? {}}
              kind={kind}
              chain={chains[index]}
              template={template}
              onOpen={onOpen}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  readonly index: number;
  /** Distance from the first row, in pixels. */
  readonly start: number;
  readonly row: RecordRow;
  readonly kind: RecordKind;
  readonly chain: number | undefined;
  readonly template: string;
  readonly onOpen: (row: RecordRow) => void;
}

/** Drawn once while it is in sight: scrolling draws only the rows that come. */
const ResultRow = memo(function ResultRow(props: RowProps) {
  const { index, start, row, kind, chain, template, onOpen } = props;
  const zone = useZone();
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
      {columnsOf[kind].map((column) => (
        <div
          key={column.name}
          role="cell"
          data-kind={column.kind}
          title={
            column.kind === 'time' ? exactLedgerTime(String(row[column.name]), zone) : undefined
          }
        >
          {cellText(column, row, kind, zone)}
        </div>
      ))}
    </div>
  );
});
