import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import type { Job } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { databaseKey } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from './DatabaseFrame.module.css';

/** A job that waits for a person: what they are waited for, and the decision of the installation's administrator. */
export function WaitingJob({ job }: { readonly job: Job }) {
  const { session } = useRouteContext({ from: '__root__' });
  const [refusing, setRefusing] = useState(false);
  const complete = useDecision(job, 'complete', () => say('The job goes on'));
  if (session.user?.administrator !== true) {
    return (
      <p>The administrator of the installation makes room for it, or refuses it with a reason.</p>
    );
  }
  return (
    <>
      {complete.isError && <Problem error={complete.error} />}
      <div className={styles.buttons}>
        <Button look="main" busy={complete.isPending} onClick={() => complete.mutate('')}>
          It may be made now
        </Button>
        <Button onClick={() => setRefusing(true)}>Refuse it</Button>
      </div>
      <Dialog
        open={refusing}
        onClose={() => setRefusing(false)}
        title="Refuse the database?"
        about="It is not made, and its job fails with the reason."
      >
        <Refusal job={job} onClose={() => setRefusing(false)} />
      </Dialog>
    </>
  );
}

function Refusal({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const refuse = useDecision(job, 'refuse', () => {
    onClose();
    say('The database is refused');
  });
  const errors = fieldErrors(refuse.error);
  return (
    <MakeForm
      make="Refuse database"
      leave="Leave it waiting"
      busy={refuse.isPending}
      error={besideFields(refuse.error, ['reason'])}
      onMake={() => refuse.mutate(reason)}
      onLeave={onClose}
    >
      <TextArea
        label="Reason"
        required
        rows={2}
        value={reason}
        error={errors['reason']}
        onChange={(event) => setReason(event.target.value)}
      />
    </MakeForm>
  );
}

function useDecision(job: Job, verb: 'complete' | 'refuse', onDecided: () => void) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  return useMutation({
    mutationFn: (reason: string) =>
      intent.try([job.id, verb, reason], (sending) => {
        const params = { jobId: job.id };
        return verb === 'complete'
          ? ask(organization.id, 'post', '/api/v1/jobs/{jobId}/complete', { params }, sending)
          : ask(
              organization.id,
              'post',
              '/api/v1/jobs/{jobId}/refuse',
              { params, body: { reason } },
              sending,
            );
      }),
    onSuccess: onDecided,
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organization.id, job.databaseId) }),
  });
}
