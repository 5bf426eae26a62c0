import type { ReactNode } from 'react';
import styles from './States.module.css';

/** Grey lines in the place of content that is loading; they appear after 300 ms, so that a fast answer does not flicker. */
export const Skeleton = ({ lines = 4 }: { readonly lines?: number }) => (
  <div className={styles.skeleton} aria-busy="true">
    <span className={styles.hidden}>Loading</span>
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} className={styles.line} aria-hidden />
    ))}
  </div>
);

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** A list without rows: its purpose, and the first step. */
export const Empty = ({ title, children, action }: EmptyProps) => (
  <div className={styles.empty}>
    <h2>{title}</h2>
    {children !== undefined && <p>{children}</p>}
    {action}
  </div>
);

export type Tone = 'good' | 'warn' | 'bad' | 'soft' | 'busy' | 'write';

/** A word with a colour; the meaning never depends on the colour alone. */
export const Badge = ({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}) => (
  <span className={`${styles.badge} ${styles[tone]}`}>
    <span className={styles.dot} aria-hidden />
    {children}
  </span>
);

export const Progress = ({
  percent,
  label,
}: {
  readonly percent: number;
  readonly label: string;
}) => <progress className={styles.progress} max={100} value={percent} aria-label={label} />;
