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

const waits = {
  kept: 'The service has a new version of this page. You choose when it is loaded: what is not saved here is lost then.',
  again:
    'A part of this page is missing, although the page was reloaded. The service may be in the middle of an update: try again in a minute.',
} as const;

/** Notices for every page: of the operators, of a lost connection, of a new build, of a suspended organization. */
export function Notices({ session }: { readonly session: Session }) {
  const online = useSyncExternalStore(onChange, () => navigator.onLine);
  const wait = useSyncExternalStore(newBuild.subscribe, () => newBuild.waits);
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
      {wait !== undefined && (
        <p role="status" className={styles.notice}>
          {waits[wait]}{' '}
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
