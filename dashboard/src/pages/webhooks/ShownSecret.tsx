import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';

interface Props {
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

export const ShownSecret = ({ secret, onClose }: Props) => (
  <Dialog
    open={secret !== undefined}
    onClose={onClose}
    title="The endpoint’s secret"
    about="Your receiver verifies each request with it. The audit log records who looks at it."
  >
    <Code text={secret ?? ''} what="the secret" />
    <DialogButtons>
      <Button look="main" onClick={onClose}>
        Close
      </Button>
    </DialogButtons>
  </Dialog>
);
