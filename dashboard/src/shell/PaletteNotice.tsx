import type { Session } from '../../../gen/api.ts';
import type { ShownOrganization } from './context.ts';
import styles from './Notices.module.css';

export interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly session: Session;
  readonly organization: ShownOrganization | undefined;
}

/** Stands for the palette where that could not be loaded: what somebody has typed on the page stays. */
export const PaletteNotice = ({ open }: PaletteProps) =>
  open && (
    <p role="alert" className={styles.notice}>
      The search could not be loaded. Load the page anew when the connection is back; the links at
      the side work.
    </p>
  );
