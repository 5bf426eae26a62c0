import type { ButtonHTMLAttributes, ReactNode } from 'react';
import styles from './Button.module.css';

type Look = 'main' | 'plain' | 'quiet' | 'bad' | 'write';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  readonly look?: Look;
  readonly small?: boolean;
  /** The reason why it cannot be used now, shown as a hint and read out. The button stays reachable. */
  readonly disabledReason?: string | undefined;
  readonly busy?: boolean;
  readonly children: ReactNode;
}

export const buttonClass = (look: Look = 'plain', small = false): string =>
  [styles.button, styles[look], small ? styles.small : ''].join(' ');

export function Button({
  look = 'plain',
  small = false,
  disabledReason,
  busy = false,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const isOff = disabledReason !== undefined || busy;
  return (
    <button
      {...rest}
      type={type}
      className={`${buttonClass(look, small)} ${rest.className ?? ''}`}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      title={disabledReason ?? rest.title}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {disabledReason !== undefined && <span className={styles.reason}>{disabledReason}</span>}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly children: ReactNode;
}

export const IconButton = ({ label, children, type = 'button', ...rest }: IconButtonProps) => (
  <button
    {...rest}
    type={type}
    aria-label={label}
    title={label}
    className={`${styles.icon} ${rest.className ?? ''}`}
  >
    {children}
  </button>
);
