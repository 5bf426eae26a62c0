import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './Button.tsx';
import styles from './Dialog.module.css';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  readonly wide?: boolean;
  /** Puts the dialog at the side of the window instead of its middle. */
  readonly side?: boolean;
  /** Escape and a click beside it do not close it: what it shows would be lost by mistake. */
  readonly stays?: boolean;
  readonly children: ReactNode;
}

/** A dialog over the page. Escape and a click beside it close it; the focus goes back to what opened it. */
export const Dialog = ({
  open,
  onClose,
  title,
  about,
  wide,
  side,
  stays = false,
  children,
}: DialogProps) => (
  <Base.Root open={open} onOpenChange={(isOpen) => (isOpen || stays ? undefined : onClose())}>
    <Base.Portal>
      <Base.Backdrop className={styles.shade} />
      <Base.Popup
        className={`${styles.dialog} ${wide === true ? styles.wide : ''} ${side === true ? styles.side : ''}`}
      >
        <Base.Title className={styles.title}>{title}</Base.Title>
        {about !== undefined && (
          <Base.Description className={styles.about}>{about}</Base.Description>
        )}
        {children}
        {/* Last, so that the first field of the content has the focus at first. */}
        <IconButton label="Close" className={styles.close ?? ''} onClick={onClose}>
          <X size={18} aria-hidden />
        </IconButton>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

export const DialogButtons = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles.buttons}>{children}</div>
);
