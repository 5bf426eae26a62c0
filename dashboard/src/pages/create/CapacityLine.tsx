import type { Capacity } from '../../../../gen/api.ts';
import { grouped } from '../../lib/digits.ts';
import styles from './CreateDatabase.module.css';

/** What a size and a storage hold together. */
export const CapacityLine = ({ capacity }: { readonly capacity: Capacity }) => (
  <p className={styles.soft}>
    Holds {grouped(String(capacity.transfersMax))} transfers and{' '}
    {grouped(String(capacity.accountsMax))} accounts. For more transfers, choose{' '}
    {capacity.limitedBy === 'memory' ? 'a larger size' : 'more storage'}.
  </p>
);
