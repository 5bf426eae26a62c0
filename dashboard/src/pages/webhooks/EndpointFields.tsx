import { Input, TextArea } from '../../ui/Field.tsx';
import { DatabaseSelect, scopeOf } from '../databases/DatabaseSelect.tsx';

/** An endpoint in a form. */
export interface EndpointDraft {
  readonly url: string;
  readonly description: string;
  /** Event types as text. */
  readonly types: string;
  /** Empty: all databases. */
  readonly databaseId: string;
}

interface Props {
  readonly draft: EndpointDraft;
  /** Errors by the name of the field. */
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (draft: EndpointDraft) => void;
}

/** The draft as the service takes it. */
export const requestOf = ({ url, description, types, databaseId }: EndpointDraft) => ({
  url,
  description,
  eventTypes: types.split(/[\s,]+/).filter((one) => one !== ''),
  databaseScope: scopeOf(databaseId),
});

/** Fields of a request whose errors are shown here. */
export const endpointFields = ['url', 'description', 'eventTypes', 'databaseScope'] as const;

/** Where an endpoint is, what it is for, and which events of which databases it gets. */
export const EndpointFields = ({ draft, errors, onChange }: Props) => (
  <>
    <Input
      label="URL"
      required
      mono
      maxLength={2_048}
      placeholder="https://hooks.example.com/ledgerhouse"
      value={draft.url}
      error={errors['url']}
      onChange={(event) => onChange({ ...draft, url: event.target.value })}
    />
    <Input
      label="Note"
      maxLength={200}
      value={draft.description}
      error={errors['description']}
      onChange={(event) => onChange({ ...draft, description: event.target.value })}
    />
    <TextArea
      label="Events"
      mono
      rows={2}
      value={draft.types}
      hint="Types such as database.ready, a group such as database.*, or * for all; the API reference lists them."
      error={Object.entries(errors).find(([name]) => name.startsWith('eventTypes'))?.[1]}
      onChange={(event) => onChange({ ...draft, types: event.target.value })}
    />
    <DatabaseSelect
      all="All, and the organization’s own events"
      value={draft.databaseId}
      error={errors['databaseScope']}
      onChoose={(databaseId) => onChange({ ...draft, databaseId })}
    />
  </>
);
