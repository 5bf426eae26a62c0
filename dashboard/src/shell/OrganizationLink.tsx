import { Link } from '@tanstack/react-router';
import type { ShownOrganization } from './context.ts';
import menu from './Menu.module.css';
import { OrganizationName } from './OrganizationName.tsx';

/** Stands for the switcher until that is loaded, and where it cannot be: it leads to the same organizations. */
export const OrganizationLink = ({
  organization,
}: {
  readonly organization: ShownOrganization | undefined;
}) => (
  <Link to="/organizations" className={menu.trigger}>
    <OrganizationName organization={organization} />
  </Link>
);
