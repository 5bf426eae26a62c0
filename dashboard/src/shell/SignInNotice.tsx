import styles from './Notices.module.css';
import { signInAddress, useSignInNeed } from './use-sign-in-need.ts';

/** Stands for the dialog of an ended session where that could not be loaded. */
export const SignInNotice = () =>
  useSignInNeed() && (
    <p role="alert" className={styles.notice}>
      Your session has ended.{' '}
      <a href={signInAddress} target="_blank" rel="opener">
        Sign in
      </a>{' '}
      on another tab, then come back here. This page keeps what you typed.
    </p>
  );
