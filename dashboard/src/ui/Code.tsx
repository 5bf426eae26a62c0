import { Copy } from './Copy.tsx';
import styles from './Code.module.css';

interface Props {
  readonly text: string;
  /** Name of the text, for the copy button. */
  readonly what: string;
}

/** Text for a shell or a file, with a button that copies it. */
export const Code = ({ text, what }: Props) => (
  <div className={styles.code}>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached with the keyboard (axe: scrollable-region-focusable) */}
    <pre tabIndex={0} aria-label={what}>
      {text}
    </pre>
    <div className={styles.copy}>
      <Copy text={text} what={what} />
    </div>
  </div>
);
