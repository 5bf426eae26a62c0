import { rowsNames } from '../../../../../domain/import-files/row-files.ts';
import type { Import } from '../../../../../gen/api.ts';
import { grouped } from '../../../lib/digits.ts';
import { said } from '../../../lib/said.ts';
import type { ChosenFile } from './chosen-files.ts';
import styles from './Import.module.css';

type Report = NonNullable<Import['report']>;

interface Props {
  readonly report: Report;
  readonly chosen: readonly ChosenFile[];
}

/** What the trial of rows found, by file, line and column. */
export function RowsReport({ report, chosen }: Props) {
  const { accounts, transfers, faultCount, faults } = report;
  const more = faultCount - faults.length;
  const nameOf = (file: Report['faults'][number]['file']) =>
    file === null ? '' : said(chosen[rowsNames.indexOf(file)]?.file.name ?? file);
  return (
    <div className={styles.stack}>
      <p className={styles.faults}>
        {faultCount === 1 ? 'There is 1 fault' : `There are ${grouped(String(faultCount))} faults`}
        {` in ${grouped(String(accounts))} accounts and ${grouped(String(transfers))} transfers. Nothing was made of them: correct the files, and choose them again.`}
      </p>
      <ul aria-label="Faults" className={styles.list}>
        {faults.map(({ file, line, field, code, detail }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- two faults may be equal, and the items hold no state
          <li key={at} className={styles.item}>
            <strong>{`${nameOf(file)}${line === 0 ? '' : `, line ${grouped(String(line))}`}`}</strong>
            <span>
              {field !== null && <code>{field}</code>} {detail}{' '}
              <span className={styles.soft}>{code}</span>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={styles.soft}>{`${grouped(String(more))} more are not listed.`}</p>}
    </div>
  );
}
