import type { NotificationPreferences } from '../../../../gen/api.ts';
import { Checkbox } from '../../ui/Field.tsx';
import { aboutOf, titleOf } from './kinds.ts';
import type { Choice } from '../../data/notification-queries.ts';
import { mailOf, mailWays, withMail, withMuted } from './mail-choice.ts';
import styles from './Kind.module.css';

interface Props {
  readonly kind: NotificationPreferences['kinds'][number];
  readonly preferences: NotificationPreferences;
  readonly busy: boolean;
  readonly onChange: (choice: Choice) => void;
}

/** Whether a person gets notifications of a kind, and whether by mail, too. */
export function Kind({ kind, preferences, busy, onChange }: Props) {
  const isMuted = preferences.mutedKinds.includes(kind);
  return (
    <div className={styles.kind}>
      <Checkbox
        label={titleOf(kind)}
        hint={aboutOf(kind)}
        checked={!isMuted}
        disabled={busy}
        onChange={(event) => onChange(withMuted(preferences, kind, !event.target.checked))}
      />
      {preferences.mailAddress !== null && !isMuted && (
        <div className={styles.mail}>
          <span aria-hidden="true">Mail</span>
          <select
            aria-label={`Mail: ${titleOf(kind)}`}
            value={mailOf(preferences, kind)}
            disabled={busy}
            onChange={(event) => onChange(withMail(preferences, kind, event.target.value))}
          >
            {mailWays.map(({ way, text }) => (
              <option key={way} value={way}>
                {text}
              </option>
            ))}
          </select>
        </div>
      )}
    </div>
  );
}
