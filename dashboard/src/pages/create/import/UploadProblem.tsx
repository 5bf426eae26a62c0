import { Problem } from '../../../ui/Problem.tsx';
import { refusalsOf, type ChosenFile } from './chosen-files.ts';
import styles from './Import.module.css';
import { RowsReport } from './RowsReport.tsx';
import { RowsFaulty, UploadEnded } from './use-upload.ts';

interface Props {
  readonly error: unknown;
  readonly chosen: readonly ChosenFile[];
}

/** Why an upload ended, including the service's errors about each file. */
export function UploadProblem({ error, chosen }: Props) {
  if (error instanceof RowsFaulty) return <RowsReport report={error.report} chosen={chosen} />;
  if (error instanceof UploadEnded) return <p className={styles.faults}>{error.message}</p>;
  const refusals = refusalsOf(error, chosen);
  return (
    <>
      <Problem error={error} />
      {refusals.length > 0 && (
        <ul className={styles.faults} aria-label="What is wrong with the files">
          {refusals.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}
