import { useId } from 'react';
import styles from './Choices.module.css';

interface Choice {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly refused: string | undefined;
}

interface Props {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** A choice of one among several cards; a card that cannot be chosen says why. */
export function Choices({ label, choices, chosen, onChoose }: Props) {
  const name = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      <div className={styles.cards}>
        {choices.map(({ id, title, about, refused }) => (
          <label key={id} className={styles.card} data-off={refused === undefined ? undefined : ''}>
            <input
              type="radio"
              name={name}
              value={id}
              checked={id === chosen}
              disabled={refused !== undefined}
              onChange={() => onChoose(id)}
            />
            <span>
              <span className={styles.title}>{title}</span>
              <span className={styles.about}>{about}</span>
              {refused !== undefined && (
                <span className={styles.refused}>Not here: {refused}.</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
