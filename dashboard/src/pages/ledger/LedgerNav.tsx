import { Link, useParams } from '@tanstack/react-router';
import { showIntegers, useIntegers } from './integers.ts';
import styles from './Ledger.module.css';
import { useLedgerLabels } from './use-ledger.ts';

const pages = [
  ['/o/$slug/databases/$name/explorer', 'Query'],
  ['/o/$slug/databases/$name/explorer/new-transfer', 'New transfer'],
  ['/o/$slug/databases/$name/explorer/new-account', 'New account'],
  ['/o/$slug/databases/$name/explorer/trial-balance', 'Trial balance'],
  ['/o/$slug/databases/$name/explorer/ledgers', 'Ledgers'],
] as const;

/** The pages of a database’s ledger. */
export function LedgerNav() {
  const params = useParams({ from: '/o/$slug/databases/$name' });
  const hasLabels = useLedgerLabels().length > 0;
  const asIntegers = useIntegers();
  return (
    <nav aria-label="Pages of the ledger" className={styles.nav}>
      {pages.map(([to, title]) => (
        <Link
          key={to}
          to={to}
          params={params}
          search={{}}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {title}
        </Link>
      ))}
      {hasLabels && (
        <button type="button" aria-pressed={asIntegers} onClick={() => showIntegers(!asIntegers)}>
          As integers
        </button>
      )}
    </nav>
  );
}
