import { useBlocker } from '@tanstack/react-router';
import { Button } from './Button.tsx';
import { Dialog, DialogButtons } from './Dialog.tsx';

interface Props {
  readonly title: string;
  readonly about: string;
}

/** While it is mounted, leaving the page asks first: by a link, by the browser's buttons, or by closing the tab. */
export function LeaveQuestion({ title, about }: Props) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => true,
    enableBeforeUnload: true,
    withResolver: true,
  });
  return (
    <Dialog open={status === 'blocked'} onClose={() => reset?.()} title={title} about={about}>
      <DialogButtons>
        <Button onClick={() => proceed?.()}>Leave</Button>
        <Button look="main" onClick={() => reset?.()}>
          Stay
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
