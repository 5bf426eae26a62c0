import { useTitle } from '../ui/Page.tsx';
import styles from './ErrorPage.module.css';

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <div className={styles.page}>
      <h1>There is nothing here</h1>
      <p>
        The address is wrong, or what it names belongs to an organization that you are no member of.
      </p>
      <a href="/">To the start</a>
    </div>
  );
}
