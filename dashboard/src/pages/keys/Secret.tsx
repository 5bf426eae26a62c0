import { shownOnce } from '../../lib/new-build.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';

interface Props {
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

/** A secret that is shown only this once. */
export const Secret = ({ secret, onClose }: Props) => (
  <Dialog
    open={secret !== undefined}
    stays
    onClose={onClose}
    title="The new key"
    about="It is shown this once. Keep it where your program reads its secrets."
  >
    <div {...shownOnce}>
      <Code text={secret ?? ''} what="the key" />
    </div>
    <DialogButtons>
      <Button look="main" onClick={onClose}>
        I have kept it
      </Button>
    </DialogButtons>
  </Dialog>
);
