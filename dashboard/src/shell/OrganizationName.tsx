import { ChevronsUpDown } from 'lucide-react';
import { initialOf, said } from '../lib/said.ts';
import type { ShownOrganization } from './context.ts';
import styles from './Menu.module.css';

/** The organization whose pages are shown, as it stands on the button that switches to another one. */
export const OrganizationName = ({
  organization,
}: {
  readonly organization: ShownOrganization | undefined;
}) => (
  <>
    <span className={styles.square} aria-hidden>
      {initialOf(organization?.name ?? '')}
    </span>
    <span className={styles.label}>
      <bdi>{said(organization?.name ?? 'No organization')}</bdi>
    </span>
    <ChevronsUpDown size={15} aria-hidden />
  </>
);
