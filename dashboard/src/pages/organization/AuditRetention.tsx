import { useState } from 'react';
import type { Organization } from '../../../../gen/api.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card } from '../../ui/Page.tsx';
import { UpdateProblem } from './UpdateProblem.tsx';
import { useUpdate, type Update } from './use-update.ts';

interface Props {
  readonly organization: Organization;
  readonly etag: string | undefined;
  readonly administers: boolean;
}

/** For owners: how long the audit log goes back. */
export function AuditRetention({ organization, etag, administers }: Props) {
  const update = useUpdate(organization.id, etag, 'The retention is changed');
  return (
    <Card title="Audit log">
      <div className={form.form}>
        <RetentionForm
          key={organization.auditRetentionDays}
          organization={organization}
          administers={administers}
          update={update}
        />
        <UpdateProblem update={update} />
      </div>
    </Card>
  );
}

interface FormProps {
  readonly organization: Organization;
  readonly administers: boolean;
  readonly update: Update;
}

function RetentionForm({ organization, administers, update }: FormProps) {
  const shown = useOrganization();
  const [typed, setTyped] = useState(String(organization.auditRetentionDays));
  const errors = fieldErrors(update.error);
  const refused = administers ? undefined : whyNot(shown, 'manageOwners');
  const isSame = Number(typed) === organization.auditRetentionDays;
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ auditRetentionDays: Number(typed) });
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
      <div className={form.buttons}>
        <Button
          type="submit"
          busy={update.isPending}
          disabledReason={refused ?? (isSame ? 'The retention is the same.' : undefined)}
        >
          Change the retention
        </Button>
      </div>
    </form>
  );
}
