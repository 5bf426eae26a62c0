import type { ReactNode } from 'react';
import styles from './Table.module.css';

export { styles as table };

interface Props {
  readonly label: string;
  readonly heads: readonly (string | { readonly title: string; readonly end: true })[];
  /** A last column without a title, for buttons. */
  readonly actions?: boolean;
  readonly children: ReactNode;
}

/** A table that scrolls sideways when it is wider than the page, with the keyboard too. */
export const Table = ({ label, heads, actions = false, children }: Props) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached with the keyboard (axe: scrollable-region-focusable)
  <div className={styles.wrap} tabIndex={0} role="region" aria-label={label}>
    <table className={styles.table}>
      <thead>
        <tr>
          {heads.map((head) => {
            const title = typeof head === 'string' ? head : head.title;
            return (
              <th key={title} scope="col" className={typeof head === 'string' ? '' : styles.end}>
                {title}
              </th>
            );
          })}
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
