import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { NoAnswer, ProblemError } from '../data/problem-error.ts';
import { MissingPart } from '../lib/missing-part.ts';
import { Button } from './Button.tsx';
import { Copy } from './Copy.tsx';
import styles from './Problem.module.css';

interface ProblemProps {
  readonly error: unknown;
  /** Tries again. The button is busy until it is done. */
  readonly onRetry?: (() => unknown) | undefined;
}

/** The words of an error, for people: the service's own advice. */
function wordsOf(error: unknown): { readonly title: string; readonly detail: string } {
  if (error instanceof ProblemError) {
    const { title, detail, requiredRoles } = error.problem;
    const roles = requiredRoles && ` It takes the role ${requiredRoles.join(' or ')}.`;
    const wait =
      error.retryAfterSeconds !== undefined && ` Try again in ${error.retryAfterSeconds} s.`;
    return { title, detail: `${detail}${roles ?? ''}${wait || ''}` };
  }
  if (error instanceof NoAnswer) return { title: 'No answer', detail: error.message };
  if (error instanceof MissingPart) {
    return { title: 'A part of the dashboard is missing', detail: error.message };
  }
  const detail = error instanceof Error ? error.message : String(error);
  return { title: 'The dashboard made a mistake', detail };
}

/** An error with advice, the request’s ID for the administrator, and a button to try again. */
export function Problem({ error, onRetry }: ProblemProps) {
  const { title, detail } = wordsOf(error);
  const requestId = error instanceof ProblemError ? error.problem.requestId : '';
  return (
    <div role="alert" className={styles.problem}>
      <CircleAlert size={18} aria-hidden />
      <div className={styles.text}>
        <strong>{title}</strong>
        <p>{detail}</p>
        {error instanceof ProblemError && (
          <p className={styles.soft}>
            <code>{error.problem.code}</code>
            {typeof error.problem.blockingJobId === 'string' && (
              <>
                {' · '}waits for <code>{error.problem.blockingJobId}</code>, which the overview
                shows
              </>
            )}
            {requestId !== '' && (
              <>
                {' · '}
                <code>{requestId}</code> <Copy text={requestId} what="the request’s ID" />
              </>
            )}
          </p>
        )}
      </div>
      {onRetry !== undefined && <Again onRetry={onRetry} />}
    </div>
  );
}

/** A slow service answers after a while: until then the button shows that it was pressed. */
function Again({ onRetry }: { readonly onRetry: () => unknown }) {
  const [busy, setBusy] = useState(false);
  const tryAgain = async () => {
    setBusy(true);
    try {
      await onRetry();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button small busy={busy} onClick={() => void tryAgain()}>
      Try again
    </Button>
  );
}
