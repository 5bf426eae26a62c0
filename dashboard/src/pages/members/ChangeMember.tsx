import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { ifMatch } from '../../data/if-match.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { memberQuery } from '../../data/settings-queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogButtons } from '../../ui/Dialog.tsx';
import form from '../../ui/Form.module.css';
import { Fresh } from '../../ui/Fresh.tsx';
import { isLate, Late } from '../../ui/Late.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StandingFields, whyIncomplete, type Standing } from './StandingFields.tsx';

interface Props {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Another role, or other databases. */
export function ChangeMember({ member, onClose }: Props) {
  const organization = useOrganization();
  const read = useQuery(memberQuery(organization.id, member.id));
  return (
    <Fresh read={read}>
      {({ data, etag }) => <Form member={data.member} etag={etag} onClose={onClose} />}
    </Fresh>
  );
}

interface FormProps extends Props {
  readonly etag: string | undefined;
}

function Form({ member, etag, onClose }: FormProps) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [seen] = useState(etag);
  const { role, databaseScope } = member;
  const [standing, setStanding] = useState<Standing>({ role, databaseScope });
  const change = useMutation({
    mutationFn: () =>
      ask(
        organization.id,
        'patch',
        '/api/v1/members/{membershipId}',
        { params: { membershipId: member.id }, body: standing },
        { headers: ifMatch(seen) },
      ),
    onSuccess: () => {
      onClose();
      say('It takes effect with their next request');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['members', organization.id] }),
  });
  const scopeError = fieldErrors(change.error)['databaseScope'];
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (whyIncomplete(standing) === undefined) change.mutate();
      }}
    >
      <StandingFields standing={standing} error={scopeError} onChange={setStanding} />
      {change.isError && scopeError === undefined && <Problem error={change.error} />}
      {isLate(change.error, etag, seen) && <Late now={standingWords(member)} />}
      <DialogButtons>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          type="submit"
          look="main"
          busy={change.isPending}
          disabledReason={whyIncomplete(standing)}
        >
          Change member
        </Button>
      </DialogButtons>
    </form>
  );
}

const standingWords = ({ role, databaseScope }: Member): string =>
  [role, ...('databaseIds' in databaseScope ? databaseScope.databaseIds : [])].join('\n');
