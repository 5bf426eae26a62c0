import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { DialogButtons } from './Dialog.tsx';
import form from './Form.module.css';
import { Problem } from './Problem.tsx';

interface Props {
  /** Name of the thing to make, as on the button: “Make key”. */
  readonly what?: string;
  /** Words of the two buttons, where the form makes nothing but changes something. */
  readonly make?: string;
  readonly leave?: string;
  readonly busy: boolean;
  /** An error that no field shows; `null`: there is none. */
  readonly error: unknown;
  readonly onMake: () => void;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}

/** The form of a dialog that makes or changes something: its fields, its error, and its two buttons. */
export const MakeForm = ({
  what = '',
  make = `Make ${what}`,
  leave = 'Make none',
  busy,
  error,
  onMake,
  onLeave,
  children,
}: Props) => (
  <form
    className={form.form}
    onSubmit={(event) => {
      event.preventDefault();
      onMake();
    }}
  >
    {children}
    {error !== null && <Problem error={error} />}
    <DialogButtons>
      <Button onClick={onLeave}>{leave}</Button>
      <Button type="submit" look="main" busy={busy}>
        {make}
      </Button>
    </DialogButtons>
  </form>
);
