import { Button } from './Button.tsx';
import { Code } from './Code.tsx';
import { Dialog, DialogButtons } from './Dialog.tsx';

interface Props {
  /** Names the owner: “The endpoint’s secret”. */
  readonly title: string;
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

/** Dialog with the secret that signs requests to a receiver. It is closed while `secret` is `undefined`. */
export const ShownSecret = ({ title, secret, onClose }: Props) => (
  <Dialog
    open={secret !== undefined}
    onClose={onClose}
    title={title}
    about="Your receiver verifies each request with it. The audit log records who sees it."
  >
    <Code text={secret ?? ''} what="the secret" />
    <DialogButtons>
      <Button look="main" onClick={onClose}>
        Close
      </Button>
    </DialogButtons>
  </Dialog>
);
