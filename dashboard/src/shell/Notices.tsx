import { use, useSyncExternalStore } from 'react';
import type { Session } from '../../../gen/api.ts';
import { newBuild } from '../lib/new-build.ts';
import { said } from '../lib/said.ts';
import { Button } from '../ui/Button.tsx';
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

/** Notices for every page: of the operators, of a lost connection, of a new build, of a suspended organization. */
export function Notices({ session }: { readonly session: Session }) {
  const online = useSyncExternalStore(onChange, () => navigator.onLine);
  const isOld = useSyncExternalStore(newBuild.subscribe, () => newBuild.waits);
  const organization = use(OrganizationContext);
  return (
    <>
      {session.service.notice !== null && (
        <p role="status" className={styles.notice}>
          {said(session.service.notice)}
        </p>
      )}
      {!online && (
        <p role="status" className={styles.notice}>
          This browser is offline. The page shows the last answers.
        </p>
      )}
      {isOld && (
        <p role="status" className={styles.notice}>
          The service has a new version of this page. What you typed here is kept until you load the
          page anew.{' '}
          <Button small onClick={newBuild.load}>
            Load anew
          </Button>
        </p>
      )}
      {organization?.status === 'SUSPENDED' && (
        <p role="status" className={styles.notice}>
          {said(organization.name)} is suspended: {said(organization.suspensionReason ?? '')} What
          it has can be read, databases can be deleted, and access can be revoked. Its databases run
          on.
        </p>
      )}
    </>
  );
}
