import form from '../../ui/Form.module.css';
import { Input, Select, TextArea } from '../../ui/Field.tsx';
import type { StreamDraft } from './draft.ts';
import { sinkHints, sinkWords } from './words.ts';

interface Props {
  readonly draft: StreamDraft;
  /** The stream is there already: its sink keeps its type, and its password unless another one is typed. */
  readonly isThere: boolean;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<StreamDraft>) => void;
}

/** Where a stream sends its events. */
export function SinkFields({ draft, isThere, error, onChange }: Props) {
  const { type } = draft;
  return (
    <>
      {!isThere && (
        <Select
          label="Goes to"
          value={type}
          onChange={(event) => onChange({ type: event.target.value as StreamDraft['type'] })}
        >
          {Object.entries(sinkWords).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
      )}
      <Input
        label="URL"
        required
        mono
        maxLength={2_048}
        placeholder={sinkHints[type]}
        value={draft.url}
        error={error}
        onChange={(event) => onChange({ url: event.target.value })}
      />
      {type !== 'WEBHOOK' && <BrokerFields {...{ draft, isThere, onChange }} />}
    </>
  );
}

function BrokerFields({ draft, isThere, onChange }: Omit<Props, 'error'>) {
  return (
    <>
      <div className={form.row}>
        <Input
          label="User"
          required={draft.type === 'AMQP'}
          mono
          maxLength={255}
          autoComplete="off"
          value={draft.username}
          onChange={(event) => onChange({ username: event.target.value })}
        />
        <Input
          label="Password"
          type="password"
          required={!isThere && draft.username !== ''}
          maxLength={1_024}
          autoComplete="new-password"
          hint={isThere ? 'Empty: it stays, for the same user at the same address.' : undefined}
          value={draft.password}
          onChange={(event) => onChange({ password: event.target.value })}
        />
      </div>
      {draft.type === 'KAFKA' ? (
        <KafkaFields {...{ draft, onChange }} />
      ) : (
        <AmqpFields {...{ draft, onChange }} />
      )}
      <Select
        label="Format"
        value={draft.format}
        onChange={(event) => onChange({ format: event.target.value as StreamDraft['format'] })}
      >
        <option value="TIGERBEETLE">TigerBeetle’s own</option>
        <option value="LEDGERHOUSE">that of this service’s API</option>
      </Select>
      <TextArea
        label="Authority of its certificate"
        mono
        rows={3}
        placeholder="-----BEGIN CERTIFICATE-----"
        hint="PEM. Empty: the public authorities."
        value={draft.certificateAuthority}
        onChange={(event) => onChange({ certificateAuthority: event.target.value })}
      />
    </>
  );
}

type KindProps = Pick<Props, 'draft' | 'onChange'>;

const AmqpFields = ({ draft, onChange }: KindProps) => (
  <div className={form.row}>
    <Input
      label="Exchange"
      mono
      maxLength={255}
      hint="It must exist. Empty: the default one, where the routing key is a queue."
      value={draft.exchange}
      onChange={(event) => onChange({ exchange: event.target.value })}
    />
    <Input
      label="Routing key"
      mono
      required={draft.exchange === ''}
      maxLength={255}
      value={draft.routingKey}
      onChange={(event) => onChange({ routingKey: event.target.value })}
    />
  </div>
);

const KafkaFields = ({ draft, onChange }: KindProps) => (
  <>
    <Select
      label="The user signs in by"
      value={draft.mechanism}
      onChange={(event) => onChange({ mechanism: event.target.value as StreamDraft['mechanism'] })}
    >
      <option value="SCRAM-SHA-512">SCRAM-SHA-512</option>
      <option value="SCRAM-SHA-256">SCRAM-SHA-256</option>
      <option value="PLAIN">PLAIN</option>
    </Select>
    <div className={form.row}>
      <Input
        label="Topic"
        mono
        required
        maxLength={249}
        hint="It must be there."
        value={draft.topic}
        onChange={(event) => onChange({ topic: event.target.value })}
      />
      <Select
        label="Stays in order"
        value={draft.key}
        hint="Key of a message in a topic of several partitions."
        onChange={(event) => onChange({ key: event.target.value as StreamDraft['key'] })}
      >
        <option value="DATABASE">the whole database</option>
        <option value="LEDGER">each ledger</option>
        <option value="DEBIT_ACCOUNT">each debit account</option>
      </Select>
    </div>
  </>
);
