import { useState } from 'react';
import { applyTheme, storedTheme, themes, type Theme } from '../lib/theme.ts';
import { zoneName, type Zone } from '../lib/time.ts';
import { useNow } from './context.ts';
import styles from './Preferences.module.css';

const titles: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

interface Props {
  readonly zone: Zone;
  readonly onZone: (zone: Zone) => void;
}

/** Preferences: colours and time zone. */
export function Preferences({ zone, onZone }: Props) {
  const [theme, setTheme] = useState(storedTheme);
  const now = useNow();
  return (
    <div className={styles.preferences}>
      <label>
        <span>Colours</span>
        <select
          value={theme}
          onChange={(event) => {
            const next = themes.find((one) => one === event.target.value) ?? 'system';
            applyTheme(next);
            setTheme(next);
          }}
        >
          {themes.map((one) => (
            <option key={one} value={one}>
              {titles[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Times</span>
        <select
          value={zone}
          onChange={(event) => onZone(event.target.value === 'utc' ? 'utc' : 'local')}
        >
          <option value="local">{`Local ${zoneName(now, 'local')}`}</option>
          <option value="utc">UTC</option>
        </select>
      </label>
    </div>
  );
}
