import { shownMoney } from '../../lib/money.ts';
import { Facts } from '../../ui/Page.tsx';
import { CapacityLine } from './CapacityLine.tsx';
import styles from './CreateDatabase.module.css';
import type { Plan } from './use-plan.ts';

/** The price of the database that would be made, line by line, and what it holds. */
export function PriceLines({ plan }: { readonly plan: Plan }) {
  const price = plan.data?.plan.estimatedMonthlyPrice;
  const nodes = plan.data?.plan.nodeCount;
  const capacity = plan.data?.plan.capacity;
  return (
    <div
      aria-live="polite"
      aria-busy={plan.isFetching || !plan.isOfChoices}
      className={styles.price}
    >
      <p>
        <span className={styles.amount}>
          {price === undefined ? '…' : price === null ? 'No price' : shownMoney(price)}
        </span>{' '}
        {price !== undefined && price !== null && <span className={styles.soft}>a month</span>}
      </p>
      {price === null && (
        <p className={styles.soft}>The catalog of this installation has no prices for it.</p>
      )}
      {price !== undefined && price !== null && (
        <Facts
          rows={price.lines.map(
            ({ item, amount }) => [item, shownMoney({ currency: price.currency, amount })] as const,
          )}
        />
      )}
      {nodes !== undefined && (
        <p className={styles.soft}>{nodes === 1 ? 'One node' : `${nodes} nodes`}</p>
      )}
      {capacity !== undefined && capacity !== null && <CapacityLine capacity={capacity} />}
    </div>
  );
}
