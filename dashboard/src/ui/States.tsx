import { useEffect, useState, type ReactNode } from 'react';
import { beginLoading } from './loading.ts';
import styles from './States.module.css';

interface SkeletonProps {
  readonly lines?: number;
  /** Within a line of text, in the place of a few words. */
  readonly inline?: boolean;
  /** What screen readers meet in its place. */
  readonly what?: string;
}

/**
 * Grey lines in the place of content that is loading. They appear after 300 ms, so that a fast answer does not flicker, and it is told once
 * that a part of the page is loading.
 */
export function Skeleton({ lines = 4, inline = false, what = 'Loading' }: SkeletonProps) {
  const tellWhenSeen = useTelling(true);
  return (
    <span
      className={inline ? styles.words : styles.skeleton}
      aria-busy="true"
      onAnimationStart={tellWhenSeen}
    >
      <span className={styles.hidden}>{what}</span>
      {!inline &&
        Array.from({ length: lines }, (_, index) => (
          <span key={index} className={styles.line} aria-hidden />
        ))}
    </span>
  );
}

interface OutdatedProps {
  /** Whether they are still those of the choice before. */
  readonly when: boolean;
  readonly children: ReactNode;
}

/** Rows that stay while those of another choice are loading. A bar above them appears after 300 ms, and it is told as with a skeleton. */
export function Outdated({ when, children }: OutdatedProps) {
  const tellWhenSeen = useTelling(when);
  return (
    <div
      className={when ? styles.outdated : styles.present}
      aria-busy={when || undefined}
      onAnimationStart={({ target, currentTarget }) => target === currentTarget && tellWhenSeen()}
    >
      {children}
    </div>
  );
}

/** Returns what is called when the sign of loading appears; it is told from then on, until it is gone. */
function useTelling(isLoading: boolean): () => void {
  const [isSeen, setSeen] = useState(false);
  if (isSeen && !isLoading) setSeen(false);
  useEffect(() => (isSeen ? beginLoading() : undefined), [isSeen]);
  return () => setSeen(true);
}

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
