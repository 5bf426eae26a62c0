import { ledgerTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import styles from './Ledger.module.css';
import { lineOf } from './points.ts';
import type { Statement } from './statement.ts';
import { useAmounts } from './use-ledger.ts';

interface Props {
  readonly ledger: number;
  readonly statement: Statement;
}

/** The posted balance over the time of a statement. The statement's table has the same rows. */
export function BalanceChart({ ledger, statement }: Props) {
  const zone = useZone();
  const { sided } = useAmounts(ledger);
  const line = lineOf(statement);
  const from = statement.rows[0]?.transfer.timestamp;
  const to = statement.rows.at(-1)?.transfer.timestamp;
  if (line === undefined || from === undefined || to === undefined) return null;
  const { path, zero, least, most } = line;
  return (
    <figure className={styles.chart} aria-label="Balance over time">
      <div className={styles.ends}>
        <span>highest {sided(most)}</span>
        <span>lowest {sided(least)}</span>
      </div>
      <svg viewBox="0 -20 1000 1040" preserveAspectRatio="none" aria-hidden>
        {zero !== undefined && <line x1="0" x2="1000" y1={zero.toString()} y2={zero.toString()} />}
        <path d={path} />
      </svg>
      <div className={styles.ends}>
        <span>{ledgerTime(from, zone)}</span>
        <span>{ledgerTime(to, zone)}</span>
      </div>
    </figure>
  );
}
