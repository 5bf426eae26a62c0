import { useState } from 'react';
import { buttonClass } from '../../../ui/Button.tsx';
import styles from './Import.module.css';

interface Props {
  readonly title: string;
  readonly about: string;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Area for dropping or choosing files. The browser's file input covers all of it and takes both. */
export function DropFiles({ title, about, onFiles }: Props) {
  const [isOver, setOver] = useState(false);
  const leave = () => setOver(false);
  return (
    <div className={styles.drop} data-over={isOver ? '' : undefined}>
      <strong>{title}</strong>
      <span className={styles.soft}>{about}</span>
      <span className={buttonClass('plain')} aria-hidden>
        Choose files
      </span>
      <input
        type="file"
        multiple
        aria-label="Choose the data files"
        className={styles.field}
        onDragEnter={() => setOver(true)}
        onDragLeave={leave}
        onDrop={leave}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same files can be chosen again.
          event.target.value = '';
        }}
      />
    </div>
  );
}
