import { useEffect, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog, DialogButtons } from './Dialog.tsx';
import { Problem } from './Problem.tsx';

/** The parts of a mutation that a question shows. */
interface Act {
  readonly error: unknown;
  readonly isError: boolean;
  readonly isPending: boolean;
  readonly reset: () => void;
}

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What follows from it. */
  readonly about: ReactNode;
  /** Words of the button that does nothing. */
  readonly leave: string;
  /** Words of the button that does it. */
  readonly make: string;
  readonly look?: 'bad' | 'main';
  readonly act: Act;
  readonly onMake: () => void;
}

/** A question before something is done. A failure is shown until the question is closed: the next one is another question. */
export function Question({
  open,
  onClose,
  title,
  about,
  leave,
  make,
  look = 'bad',
  act,
  onMake,
}: Props) {
  const { isError, reset } = act;
  // Also what fails only after its question was closed.
  useEffect(() => {
    if (!open && isError) reset();
  }, [open, isError, reset]);
  return (
    <Dialog open={open} onClose={onClose} title={title} about={about}>
      {isError && <Problem error={act.error} />}
      <DialogButtons>
        <Button onClick={onClose}>{leave}</Button>
        <Button look={look} busy={act.isPending} onClick={onMake}>
          {make}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
