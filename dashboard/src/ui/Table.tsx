import type { CSSProperties, ReactNode } from 'react';
import styles from './Table.module.css';

export { styles as table };

type Head = string | { readonly title: string; readonly end: true };

interface Props {
  readonly label: string;
  readonly heads: readonly Head[];
  /** A last column without a title, for buttons. On a phone each row is then a card, on which the buttons are in sight. */
  readonly actions?: boolean;
  readonly children: ReactNode;
}

const titleOf = (head: Head): string => (typeof head === 'string' ? head : head.title);

/** The titles, for the cells of a card: their place in a row selects one. */
const titlesOf = (heads: readonly Head[]) =>
  Object.fromEntries(
    heads.map((head, index) => [`--head-${index + 1}`, JSON.stringify(titleOf(head))]),
  ) as CSSProperties;

/** A table that scrolls sideways when it is wider than the page, with the keyboard too. */
export const Table = ({ label, heads, actions = false, children }: Props) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached with the keyboard (axe: scrollable-region-focusable)
  <div className={styles.wrap} tabIndex={0} role="region" aria-label={label}>
    <table
      className={`${styles.table} ${actions ? styles.cards : ''}`}
      style={actions ? titlesOf(heads) : undefined}
    >
      <thead>
        <tr>
          {heads.map((head) => (
            <th
              key={titleOf(head)}
              scope="col"
              className={typeof head === 'string' ? '' : styles.end}
            >
              {titleOf(head)}
            </th>
          ))}
          {actions && (
            <th scope="col">
              <span className={styles.hidden}>Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
