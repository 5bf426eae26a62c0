import { useState } from 'react';
import type { MetricMark } from '../../../../gen/api.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Badge, type Tone } from '../../ui/States.tsx';
import { table } from '../../ui/Table.tsx';
import { useSpan } from '../../ui/time-series/span.ts';
import { Exactly } from '../../ui/When.tsx';
import styles from './Monitoring.module.css';

const tones: Readonly<Record<MetricMark['kind'], Tone>> = {
  CHANGE: 'busy',
  STATE: 'warn',
  JOB: 'soft',
  FAILOVER: 'warn',
  RESTART: 'warn',
  UPGRADE: 'busy',
};

const fewMarks = 5;

/** The marks of the charts, as text. */
export function Happenings({ marks }: { readonly marks: readonly MetricMark[] }) {
  const { onCursor } = useSpan();
  const [all, setAll] = useState(false);
  const shown = all ? marks : marks.slice(0, fewMarks);
  return (
    <Card title="What happened">
      {marks.length === 0 ? (
        <p>Nothing that leaves a mark: no change, no restart, no other leader.</p>
      ) : (
        <ol className={styles.marks}>
          {shown.map((mark) => (
            <li key={`${mark.at}${mark.text}`}>
              <Exactly at={mark.at} />
              <Badge tone={tones[mark.kind] ?? 'soft'}>{mark.kind.toLowerCase()}</Badge>
              <span>{mark.text}</span>
              <Button
                small
                look="quiet"
                aria-label={`Show on the charts: ${mark.text}`}
                onClick={() => onCursor(Date.parse(mark.at))}
              >
                Show
              </Button>
            </li>
          ))}
        </ol>
      )}
      {marks.length > fewMarks && (
        <p className={table.more}>
          {all ? `All ${marks.length}` : `The newest ${fewMarks} of ${marks.length}`}
          <Button small onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : 'Show all'}
          </Button>
        </p>
      )}
    </Card>
  );
}
