import { useSyncExternalStore } from 'react';
import { announced, subscribe } from './announcer.ts';
import styles from './Announcer.module.css';
import { isLoading, subscribeToLoading } from './loading.ts';

export function Announcer() {
  const messages = useSyncExternalStore(subscribe, announced);
  const loading = useSyncExternalStore(subscribeToLoading, isLoading);
  return (
    <>
      <div role="status" aria-live="polite" className={styles.region}>
        {messages.map(({ id, text }) => (
          <p key={id} className={styles.message}>
            {text}
          </p>
        ))}
      </div>
      {/* Only for screen readers: the part itself shows it. A region is read out when it was there before its text. */}
      <div role="status" aria-live="polite" className={styles.hidden}>
        {loading && 'A part of the page is loading.'}
      </div>
    </>
  );
}
