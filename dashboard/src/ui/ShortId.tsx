import { wholeIdMax } from '../lib/short-id.ts';
import styles from './ShortId.module.css';

/** The last digits of a long ID stay in sight. */
const endLength = 8;

/**
 * An ID in a row. The middle of a long one is out of sight, so that the amounts beside it are not; its text stays whole for screen
 * readers, for copying, and for the printer. Amounts are never shortened.
 */
export const ShortId = ({ id }: { readonly id: string }) =>
  id.length <= wholeIdMax ? (
    id
  ) : (
    <span className={styles.id} title={id}>
      <span className={styles.start}>{id.slice(0, -endLength)}</span>
      <span>{id.slice(-endLength)}</span>
    </span>
  );
