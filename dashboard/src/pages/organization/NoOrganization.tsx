import { useRouteContext } from '@tanstack/react-router';
import { said } from '../../lib/said.ts';
import { useTitle } from '../../ui/Page.tsx';
import styles from '../../shell/ErrorPage.module.css';

export function NoOrganization() {
  const { session } = useRouteContext({ from: '__root__' });
  useTitle('No organization yet');
  return (
    <main className={styles.page}>
      <h1>No organization yet</h1>
      <p>
        You are signed in as {said(session.user?.display ?? session.credential.name)}
        {typeof session.user?.email === 'string' && ` (${said(session.user.email)})`}, and belong to
        no organization. Databases belong to organizations: ask an owner of yours for an invitation
        to that address.
      </p>
      <p>
        <a href="/auth/account">Your account</a>
      </p>
    </main>
  );
}
