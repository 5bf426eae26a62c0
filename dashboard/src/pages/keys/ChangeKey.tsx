import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { ifMatch } from '../../data/if-match.ts';
import { besideFields, fieldErrors } from '../../data/problem-error.ts';
import { keyQuery } from '../../data/settings-queries.ts';
import { said } from '../../lib/said.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Input } from '../../ui/Field.tsx';
import { Fresh } from '../../ui/Fresh.tsx';
import { isLate, Late } from '../../ui/Late.tsx';
import { MakeForm } from '../../ui/MakeForm.tsx';
import { Addresses, addressesOf } from './Addresses.tsx';

interface Props {
  /** `undefined`: the dialog is closed. */
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

/** Another name, or other addresses. The secret and what the key may do stay. */
export const ChangeKey = ({ apiKey, onClose }: Props) => (
  <Dialog
    open={apiKey !== undefined}
    onClose={onClose}
    title={`Change ${said(apiKey?.name ?? '')}`}
    about="Its secret and its permissions stay the same. New addresses apply within five seconds."
  >
    {apiKey !== undefined && <Present id={apiKey.id} onClose={onClose} />}
  </Dialog>
);

function Present({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const organization = useOrganization();
  const read = useQuery(keyQuery(organization.id, id));
  return (
    <Fresh read={read}>
      {({ data, etag }) => <Form apiKey={data.apiKey} etag={etag} onClose={onClose} />}
    </Fresh>
  );
}

interface FormProps {
  readonly apiKey: ApiKey;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

function Form({ apiKey, etag, onClose }: FormProps) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [seen] = useState(etag);
  const [name, setName] = useState(apiKey.name);
  const [addresses, setAddresses] = useState(apiKey.ipAllowList.join('\n'));
  const change = useMutation({
    mutationFn: () =>
      ask(
        organization.id,
        'patch',
        '/api/v1/api-keys/{keyId}',
        { params: { keyId: apiKey.id }, body: { name, ipAllowList: addressesOf(addresses) } },
        { headers: ifMatch(seen) },
      ),
    onSuccess: () => {
      onClose();
      say('The key is changed');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['keys', organization.id] }),
  });
  const errors = fieldErrors(change.error);
  return (
    <MakeForm
      leave="Leave it"
      make="Change key"
      busy={change.isPending}
      error={besideFields(change.error, ['name', 'ipAllowList'])}
      onMake={() => change.mutate()}
      onLeave={onClose}
    >
      <Input
        label="Name"
        required
        maxLength={100}
        value={name}
        error={errors['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <Addresses text={addresses} error={errors['ipAllowList']} onType={setAddresses} />
      {isLate(change.error, etag, seen) && (
        <Late now={[apiKey.name, ...apiKey.ipAllowList].join('\n')} />
      )}
    </MakeForm>
  );
}
