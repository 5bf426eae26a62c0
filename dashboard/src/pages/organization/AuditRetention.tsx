import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Organization } from '../../../../gen/api.ts';
import { renewOrganizations, updateOrganization } from '../../data/organization-queries.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';

interface Props {
  readonly organization: Organization;
  readonly administers: boolean;
}

/** For owners: how long the audit log goes back. */
export function AuditRetention({ organization, administers }: Props) {
  const shown = useOrganization();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState(String(organization.auditRetentionDays));
  const save = useMutation({
    mutationFn: () => updateOrganization(organization.id, { auditRetentionDays: Number(typed) }),
    onSuccess: async () => {
      say('The retention is changed');
      await renewOrganizations(queryClient);
    },
  });
  const errors = fieldErrors(save.error);
  const refused = administers ? undefined : whyNot(shown, 'manageOwners');
  const isSame = Number(typed) === organization.auditRetentionDays;
  return (
    <Card title="Audit log">
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Input
          label="Days for which events are kept"
          type="number"
          required
          min={90}
          max={2_557}
          readOnly={refused !== undefined}
          value={typed}
          hint="90 days to 7 years (2557). Older events are removed for good; for a week after a change none is."
          error={errors['auditRetentionDays']}
          onChange={(event) => setTyped(event.target.value)}
        />
        {save.isError && Object.keys(errors).length === 0 && <Problem error={save.error} />}
        <div className={form.buttons}>
          <Button
            type="submit"
            busy={save.isPending}
            disabledReason={refused ?? (isSame ? 'The retention is the same.' : undefined)}
          >
            Change the retention
          </Button>
        </div>
      </form>
    </Card>
  );
}
