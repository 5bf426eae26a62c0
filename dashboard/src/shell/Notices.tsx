import { use, useSyncExternalStore } from 'react';
import { OrganizationContext } from './context.ts';
import styles from './Notices.module.css';

const onChange = (listener: () => void): (() => void) => {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
};

/** Notices for every page: a lost connection, a suspended organization. */
export function Notices() {
  const online = useSyncExternalStore(onChange, () => navigator.onLine);
  const organization = use(OrganizationContext);
  return (
    <>
      {!online && (
        <p role="status" className={styles.notice}>
          This browser is offline. The page shows the last answers.
        </p>
      )}
      {organization?.status === 'SUSPENDED' && (
        <p role="status" className={styles.notice}>
          {organization.name} is suspended: its databases stand still, with all their data.
        </p>
      )}
    </>
  );
}
