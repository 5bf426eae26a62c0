import { useState } from 'react';
import { Dialog } from '../ui/Dialog.tsx';
import { keepQuestionMark, shortcutGroups, storedQuestionMark } from './shortcuts.ts';
import styles from './Shortcuts.module.css';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** What the keyboard does: the question mark. */
export const Shortcuts = ({ open, onClose }: Props) => (
  <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" wide>
    {/* First, so that the focus does not scroll the list away. */}
    <QuestionMark />
    <div className={styles.groups}>
      {shortcutGroups.map(({ title, rows }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <dl>
            {rows.map(([keys, does]) => (
              <div key={does}>
                <dt>
                  {keys.map((key, index) => (
                    <span key={key}>
                      {index > 0 && ' or '}
                      <kbd>{key}</kbd>
                    </span>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
);

/** A key without Ctrl is pressed by mistake more easily (WCAG 2.1.4). */
function QuestionMark() {
  const [isOn, setOn] = useState(storedQuestionMark);
  return (
    <label className={styles.choice}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => {
          keepQuestionMark(event.target.checked);
          setOn(event.target.checked);
        }}
      />
      The question mark opens this list
    </label>
  );
}
