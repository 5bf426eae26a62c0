import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntent } from '../../data/intent.ts';
import { leaveOrganization } from '../../data/organization-queries.ts';
import { said } from '../../lib/said.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Question } from '../../ui/Question.tsx';

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
      <Question
        open={open}
        onClose={() => setOpen(false)}
        title={`Leave ${said(name)}?`}
        about="You can come back only with a new invitation. The last owner cannot leave."
        leave="Stay"
        make="Leave it"
        act={leave}
        onMake={() => leave.mutate()}
      />
    </Card>
  );
}
