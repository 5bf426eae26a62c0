import { plainTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { Button } from '../Button.tsx';
import { table } from '../Table.tsx';
import { timesOf } from './selection.ts';
import { useSpan } from './span.ts';
import styles from './TimeSeries.module.css';
import { useSelecting } from './use-selecting.ts';

/** The marked part of the axis, on each chart. */
export function Selected() {
  const { axis, selected } = useSpan();
  if (selected === undefined) return null;
  const { begin, end } = selected;
  return (
    <span
      className={styles.selected}
      style={{
        insetInlineStart: `${(100 * begin) / axis.count}%`,
        inlineSize: `${(100 * (end - begin)) / axis.count}%`,
      }}
    />
  );
}

interface Props {
  readonly title: string;
  /** Takes the focus back: the buttons are gone then. */
  readonly onDone: () => void;
}

/** What can be done with the marked part, on the chart where it was marked. */
export function SelectedActions({ title, onDone }: Props) {
  const { axis, selection, selected, onSelect } = useSpan();
  const { zoom } = useSelecting(title);
  const zone = useZone();
  if (selection?.title !== title || selection.isDragged || selected === undefined) return null;
  const { fromMs, toMs } = timesOf(axis, selected);
  const [from, to] = [fromMs, toMs].map((ms) => plainTime(new Date(ms), zone));
  const done = (act: () => void) => () => {
    act();
    onDone();
  };
  return (
    <div className={`${styles.actions} ${table.acts}`} role="group" aria-label="The marked part">
      <Button small look="main" onClick={done(zoom)} title={`${from} to ${to}`}>
        Show only this
      </Button>
      <Button small onClick={done(() => onSelect(undefined))}>
        Let go
      </Button>
    </div>
  );
}
