import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../../../../gen/api.ts';
import { useIntent } from '../../data/intent.ts';
import {
  deleteOrganization,
  renewOrganizations,
  resumeOrganization,
  suspendOrganization,
} from '../../data/organization-queries.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { said } from '../../lib/said.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Input, TextArea } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { NameField } from '../../ui/NameField.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UpdateProblem } from './UpdateProblem.tsx';
import { useUpdate, type Update } from './use-update.ts';

interface Props {
  readonly organization: Organization;
}

/** For the administrator of the installation: the quota, suspending and resuming, deleting. */
export function Administration({
  organization,
  etag,
}: Props & { readonly etag: string | undefined }) {
  const update = useUpdate(organization.id, etag, 'The quota is changed');
  const [asked, setAsked] = useState<'suspend' | 'delete'>();
  const close = () => setAsked(undefined);
  const isSuspended = organization.status === 'SUSPENDED';
  return (
    <Card title="Administration of the installation">
      <div className={form.form}>
        <Quota key={organization.databasesMax} organization={organization} update={update} />
        <UpdateProblem update={update} />
        <p>
          Suspended, its members and keys can read, delete databases and revoke access, and nothing
          else. Its databases run on.
        </p>
        <div className={form.buttons}>
          {isSuspended ? (
            <Resume organization={organization} />
          ) : (
            <Button onClick={() => setAsked('suspend')}>Suspend it</Button>
          )}
          <Button look="bad" onClick={() => setAsked('delete')}>
            Delete it
          </Button>
        </div>
      </div>
      <Dialog
        open={asked === 'suspend'}
        onClose={close}
        title={`Suspend ${said(organization.name)}?`}
        about="Its members see the reason."
      >
        <Suspend organization={organization} onClose={close} />
      </Dialog>
      <Dialog
        open={asked === 'delete'}
        onClose={close}
        title={`Delete ${said(organization.name)}?`}
        about="It must have no databases. Its members and keys lose access within seconds. It can be restored for seven days."
      >
        <Delete organization={organization} onClose={close} />
      </Dialog>
    </Card>
  );
}

/** Shows what has changed, on this page and in the shell. */
function useRenew() {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    await renewOrganizations(queryClient);
    await router.invalidate();
  };
}

function Quota({ organization, update }: Props & { readonly update: Update }) {
  const [typed, setTyped] = useState(organization.databasesMax?.toString() ?? '');
  const errors = fieldErrors(update.error);
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        // The service refuses text that is no number of databases.
        update.mutate({ databasesMax: typed.trim() === '' ? null : Number(typed) });
      }}
    >
      <Input
        label="Databases at most"
        type="number"
        min={0}
        max={100_000}
        value={typed}
        placeholder="as many as the installation allows"
        hint="Empty: the limit of the installation."
        error={errors['databasesMax']}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className={form.buttons}>
        <Button type="submit" busy={update.isPending}>
          Set the quota
        </Button>
      </div>
    </form>
  );
}

interface QuestionProps extends Props {
  readonly onClose: () => void;
}

function Suspend({ organization: { id }, onClose }: QuestionProps) {
  const renew = useRenew();
  const intent = useIntent();
  const [reason, setReason] = useState('');
  const suspend = useMutation({
    mutationFn: () =>
      intent.try(reason, ({ headers }) => suspendOrganization(id, { reason }, headers)),
    onSuccess: async () => {
      onClose();
      say('The organization is suspended');
      await renew();
    },
  });
  const errors = fieldErrors(suspend.error);
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        suspend.mutate();
      }}
    >
      <TextArea
        label="Reason"
        required
        rows={2}
        maxLength={500}
        value={reason}
        error={errors['reason']}
        onChange={(event) => setReason(event.target.value)}
      />
      {suspend.isError && Object.keys(errors).length === 0 && <Problem error={suspend.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Leave it active</Button>
        <Button type="submit" look="bad" busy={suspend.isPending}>
          Suspend
        </Button>
      </DialogButtons>
    </form>
  );
}

function Resume({ organization: { id } }: Props) {
  const renew = useRenew();
  const intent = useIntent();
  const resume = useMutation({
    mutationFn: () => intent.try(id, ({ headers }) => resumeOrganization(id, headers)),
    onSuccess: async () => {
      say('The suspension has ended');
      await renew();
    },
  });
  return (
    <>
      {resume.isError && <Problem error={resume.error} />}
      <Button busy={resume.isPending} onClick={() => resume.mutate()}>
        End the suspension
      </Button>
    </>
  );
}

function Delete({ organization: { id, slug }, onClose }: QuestionProps) {
  const renew = useRenew();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => deleteOrganization(id),
    onSuccess: async () => {
      say('The organization is deleted; it can be restored for seven days');
      // First away from its pages, which are gone once the session is read again.
      await navigate({ to: '/organizations' });
      await renew();
    },
  });
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === slug) remove.mutate();
      }}
    >
      <NameField name={slug} typed={typed} onType={setTyped} />
      {remove.isError && <Problem error={remove.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Keep it</Button>
        <Button
          type="submit"
          look="bad"
          busy={remove.isPending}
          disabledReason={typed === slug ? undefined : `Type ${slug} first.`}
        >
          Delete organization
        </Button>
      </DialogButtons>
    </form>
  );
}
