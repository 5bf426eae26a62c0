import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntent } from '../../data/intent.ts';
import { leaveOrganization } from '../../data/organization-queries.ts';
import { said } from '../../lib/said.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';

export function LeaveOrganization() {
  const { id, name } = useOrganization();
  const [open, setOpen] = useState(false);
  const intent = useIntent();
  const leave = useMutation({
    mutationFn: () => intent.try(id, ({ headers }) => leaveOrganization(id, headers)),
    // All that this page knows is of an organization that is no longer theirs.
    onSuccess: () => location.replace('/'),
  });
  return (
    <Card
      title="Leave"
      tone="bad"
      actions={
        <Button look="bad" onClick={() => setOpen(true)}>
          Leave the organization
        </Button>
      }
    >
      <p>Your access ends at once. Keys that you made stay: they belong to the organization.</p>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Leave ${said(name)}?`}
        about="You can come back only with a new invitation. The last owner cannot leave."
      >
        {leave.isError && <Problem error={leave.error} />}
        <DialogButtons>
          <Button onClick={() => setOpen(false)}>Stay</Button>
          <Button look="bad" busy={leave.isPending} onClick={() => leave.mutate()}>
            Leave it
          </Button>
        </DialogButtons>
      </Dialog>
    </Card>
  );
}
