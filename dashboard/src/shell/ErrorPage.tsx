import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTitle } from '../ui/Page.tsx';
import { Problem } from '../ui/Problem.tsx';
import styles from './ErrorPage.module.css';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  useTitle('Something went wrong');
  return (
    <div className={styles.page}>
      <h1>This page cannot be shown</h1>
      <Problem error={error} onRetry={reset} />
      <a href="/">To the start</a>
    </div>
  );
}
