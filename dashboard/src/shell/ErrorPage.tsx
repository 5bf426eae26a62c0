import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useTitle } from '../ui/Page.tsx';
import { Problem } from '../ui/Problem.tsx';
import styles from './ErrorPage.module.css';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  useTitle('Something went wrong');
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  const again = async () => {
    // What the address needs, such as the session, and what the page reads as it is drawn.
    await router.invalidate();
    queries.reset();
    reset();
  };
  return (
    <div className={styles.page}>
      <h1>This page cannot be shown</h1>
      <Problem error={error} onRetry={again} />
      <a href="/">To the start</a>
    </div>
  );
}
