import { signInNeed } from '../data/query-client.ts';
import { buttonClass } from '../ui/Button.tsx';
import { Dialog, DialogButtons } from '../ui/Dialog.tsx';
import { signInAddress, useSignInNeed } from './use-sign-in-need.ts';

/** The session has ended: the person signs in on another tab, and the page keeps their input. */
export function SignInAgain() {
  const needed = useSignInNeed();
  return (
    <Dialog
      open={needed}
      onClose={() => signInNeed.set(false)}
      title="Your session has ended"
      about="Sign in on another tab, then come back here. This page keeps what you typed; nothing was changed."
    >
      <DialogButtons>
        <a className={buttonClass('main')} href={signInAddress} target="_blank" rel="opener">
          Sign in
        </a>
      </DialogButtons>
    </Dialog>
  );
}
