import { useSyncExternalStore } from 'react';
import { announced, subscribe } from './announcer.ts';
import styles from './Announcer.module.css';

export function Announcer() {
  const messages = useSyncExternalStore(subscribe, announced);
  return (
    <div role="status" aria-live="polite" className={styles.region}>
      {messages.map(({ id, text }) => (
        <p key={id} className={styles.message}>
          {text}
        </p>
      ))}
    </div>
  );
}
