import { useEffect, type ReactNode } from 'react';
import styles from './Page.module.css';

/** Sets the title of the document while it is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Ledgerhouse`;
  }, [title]);
}

interface PageProps {
  readonly title: string;
  /** Text under the title. */
  readonly about?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

export function Page({ title, about, actions, narrow = false, children }: PageProps) {
  useTitle(title);
  return (
    <div className={`${styles.page} ${narrow ? styles.narrow : ''}`}>
      <header className={styles.head}>
        <div className={styles.titles}>
          <h1>{title}</h1>
          {about !== undefined && <p className={styles.about}>{about}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly tone?: 'bad';
  readonly children: ReactNode;
}

export const Card = ({ title, actions, tone, children }: CardProps) => (
  <section className={`${styles.card} ${tone === 'bad' ? styles.badCard : ''}`} aria-label={title}>
    {title !== undefined && (
      <header className={styles.cardHead}>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
);

/** Names and values, one pair a line. */
export const Facts = ({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ReactNode])[];
}) => (
  <dl className={styles.facts}>
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
