import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import type { Database } from '../../../../gen/api.ts';
import styles from '../../shell/Menu.module.css';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { deletionHash } from '../database/deletion-hash.ts';

interface Props {
  readonly row: Database;
}

/** The ways from a row of the list to what people do with a database. */
export function RowMenu({ row }: Props) {
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonClass('quiet', true)} aria-label={`Actions for ${row.name}`}>
        <Ellipsis size={16} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner
          className={styles.positioner}
          positionMethod="fixed"
          align="end"
          sideOffset={4}
        >
          <Menu.Popup className={styles.popup} aria-label={`Actions for ${row.name}`}>
            <Items row={row} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Items({ row: { name, deletionProtection } }: Props) {
  const organization = useOrganization();
  const navigate = useNavigate();
  const params = { slug: organization.slug, name };
  const refused =
    whyNot(organization, 'changeDatabase') ??
    (deletionProtection ? 'It is protected: take the protection off on its page.' : undefined);
  return (
    <>
      <Menu.Item
        className={styles.item}
        onClick={() => void navigate({ to: '/o/$slug/databases/$name/connect', params })}
      >
        Connect
      </Menu.Item>
      <Menu.Item
        className={styles.item}
        onClick={() => void navigate({ to: '/o/$slug/databases/$name/explorer', params })}
      >
        Query explorer
      </Menu.Item>
      <Menu.Item
        className={styles.item}
        data-bad={refused === undefined || undefined}
        disabled={refused !== undefined}
        onClick={() =>
          void navigate({ to: '/o/$slug/databases/$name', params, hash: deletionHash })
        }
      >
        <span>
          Delete…
          {refused !== undefined && <small className={styles.reason}>{refused}</small>}
        </span>
      </Menu.Item>
    </>
  );
}
