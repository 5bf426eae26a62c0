import { TextArea } from '../../ui/Field.tsx';

interface Props {
  readonly text: string;
  readonly error: string | undefined;
  readonly onType: (text: string) => void;
}

/** The addresses from which a key may be used, as a person types them. */
export const Addresses = ({ text, error, onType }: Props) => (
  <TextArea
    label="From these addresses only"
    mono
    rows={2}
    placeholder="10.0.0.0/8"
    value={text}
    hint="Addresses and ranges; empty: from anywhere."
    error={error}
    onChange={(event) => onType(event.target.value)}
  />
);

/** Addresses and ranges between spaces, commas or line breaks. */
export const addressesOf = (text: string): string[] =>
  text.split(/[\s,]+/).filter((one) => one !== '');
