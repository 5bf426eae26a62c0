import styles from './ErrorPage.module.css';

/** In place of everything, while the session is read from a slow service. */
export const LoadingPage = () => (
  <p role="status" className={styles.page}>
    The dashboard is loading.
  </p>
);
