import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactNode } from 'react';
import styles from './LongTable.module.css';

export { styles as longTable };

const rowHeight = 34;
/** Rows beyond those in sight, so that the next one can be reached with the keyboard. Each costs time while somebody scrolls. */
const overscan = 6;

interface Head {
  readonly name: string;
  readonly title: string;
  /** Aligned at the end, as amounts are. */
  readonly end?: boolean;
}

interface Props {
  readonly label: string;
  readonly heads: readonly Head[];
  /** Widths of the columns, in CSS. */
  readonly template: string;
  readonly count: number;
  /** Draws a row: its index, and its distance from the first one in pixels. */
  readonly renderRow: (index: number, start: number) => ReactNode;
  /** A row above all others, and one below. */
  readonly first?: ReactNode;
  readonly last?: ReactNode;
  /** All rows are drawn, as for printing. */
  readonly whole?: boolean;
}

/** A table of many rows: only those in sight are in the document. */
export function LongTable(props: Props) {
  const { label, heads, template, count, renderRow, first, last, whole = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- the compiler is not used
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: whole ? count : overscan,
  });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached with the keyboard (axe: scrollable-region-focusable)
    <div ref={scroller} className={styles.scroller} tabIndex={0} role="region" aria-label={label}>
      <div role="table" aria-rowcount={count + 1} className={styles.grid}>
        <div role="rowgroup" className={styles.heads}>
          <div
            role="row"
            aria-rowindex={1}
            className={styles.row}
            style={{ gridTemplateColumns: template }}
          >
            {heads.map(({ name, title, end }) => (
              <div key={name} role="columnheader" data-end={end || undefined}>
                {title}
              </div>
            ))}
          </div>
        </div>
        {first !== undefined && (
          <div role="rowgroup" className={styles.first}>
            {first}
          </div>
        )}
        <div role="rowgroup" className={styles.body} style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => renderRow(index, start))}
        </div>
        {last !== undefined && (
          <div role="rowgroup" className={styles.last}>
            {last}
          </div>
        )}
      </div>
    </div>
  );
}

/** The width of a column whose longest text has that many characters. */
export const columnWidth = (characters: number): string => `calc(${characters}ch + 28px)`;
