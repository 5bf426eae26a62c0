import { Button } from '../../../ui/Button.tsx';
import { LeaveQuestion } from '../../../ui/LeaveQuestion.tsx';
import { Progress } from '../../../ui/States.tsx';
import { When } from '../../../ui/When.tsx';
import type { ChosenFile } from './chosen-files.ts';
import styles from './Import.module.css';
import { percentOf, progressWords } from './progress.ts';
import { UploadProblem } from './UploadProblem.tsx';
import { RowsFaulty, type useUpload } from './use-upload.ts';

interface Props {
  readonly upload: ReturnType<typeof useUpload>;
  readonly chosen: readonly ChosenFile[];
  readonly onResume: () => void;
  /** Called to choose other files. The import stays and can be resumed later. */
  readonly onLeave: () => void;
}

/** An upload that is running or has stopped. */
export function Uploading({ upload, chosen, onResume, onLeave }: Props) {
  const { begun, progress, isBusy, error } = upload;
  const isTried = begun?.status === 'CHECKING';
  const isOver = error instanceof RowsFaulty;
  const isChecked = isBusy && progress !== undefined && percentOf(progress) === 100;
  return (
    <div className={styles.stack}>
      <p>
        {isTried && isBusy
          ? 'The service tries every row. This goes on when you leave the page.'
          : isOver
            ? 'The rows cannot be imported.'
            : isChecked
              ? 'Checking the files.'
              : isBusy
                ? 'Uploading.'
                : 'Stopped.'}{' '}
        {progress !== undefined && !isChecked && !isOver && progressWords(progress)}
      </p>
      {progress !== undefined && !isOver && (
        <Progress percent={percentOf(progress)} label="Uploaded" />
      )}
      {error !== null && <UploadProblem error={error} chosen={chosen} />}
      {begun !== undefined && !isOver && (
        <p className={styles.soft}>
          Uploaded parts are kept, and expire <When at={begun.expiresAt} />. You can resume on this
          page.
        </p>
      )}
      <div className={styles.buttons}>
        {isBusy ? (
          <Button onClick={upload.stop}>Stop</Button>
        ) : (
          <>
            {!isOver && (
              <Button look="main" onClick={onResume}>
                Resume
              </Button>
            )}
            <Button onClick={onLeave}>Other files</Button>
          </>
        )}
      </div>
      {isBusy && (
        <LeaveQuestion
          title="Leave the upload?"
          about="The upload stops. Uploaded parts are kept, and you can resume here later with the same files."
        />
      )}
    </div>
  );
}
