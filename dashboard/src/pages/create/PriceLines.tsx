import { shownMoney } from '../../lib/money.ts';
import { Facts } from '../../ui/Page.tsx';
import { Outdated, Skeleton } from '../../ui/States.tsx';
import { CapacityLine } from './CapacityLine.tsx';
import styles from './CreateDatabase.module.css';
import type { Plan } from './use-plan.ts';

/** The price of the database that would be made, line by line, and what it holds. */
export function PriceLines({ plan }: { readonly plan: Plan }) {
  if (plan.data === undefined) {
    return (
      <div className={styles.price}>
        {plan.error === null ? (
          <Skeleton lines={6} />
        ) : (
          <p className={styles.amount}>No price yet</p>
        )}
      </div>
    );
  }
  const { estimatedMonthlyPrice: price, nodeCount: nodes, capacity } = plan.data.plan;
  return (
    <div aria-live="polite" className={styles.price}>
      <Outdated when={!plan.isOfChoices}>
        <p>
          <span className={styles.amount}>{price === null ? 'No price' : shownMoney(price)}</span>{' '}
          {price !== null && <span className={styles.soft}>a month</span>}
        </p>
        {price === null && (
          <p className={styles.soft}>The catalog of this installation has no prices for it.</p>
        )}
        {price !== null && (
          <Facts
            rows={price.lines.map(
              ({ item, amount }) =>
                [item, shownMoney({ currency: price.currency, amount })] as const,
            )}
          />
        )}
        <p className={styles.soft}>{nodes === 1 ? 'One node' : `${nodes} nodes`}</p>
        {capacity !== null && <CapacityLine capacity={capacity} />}
      </Outdated>
    </div>
  );
}
