import { Select } from '../../ui/Field.tsx';

interface Props {
  /** Days until the key expires; empty: it never does. */
  readonly days: string;
  readonly error: string | undefined;
  readonly onChoose: (days: string) => void;
}

export const EndSelect = ({ days, error, onChoose }: Props) => (
  <Select
    label="Ends"
    value={days}
    hint={days === '' ? 'A key without an end works until somebody revokes it.' : undefined}
    error={error}
    onChange={(event) => onChoose(event.target.value)}
  >
    <option value="30">In 30 days</option>
    <option value="90">In 90 days</option>
    <option value="365">In 365 days</option>
    <option value="">Never</option>
  </Select>
);

const dayMs = 86_400_000;

/** The time so many days after `begun`; null: never. */
export const endAfter = (days: string, begun: Date): string | null =>
  days === '' ? null : new Date(begun.getTime() + Number(days) * dayMs).toISOString();
