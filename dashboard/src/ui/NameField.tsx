import { Input } from './Field.tsx';

interface Props {
  /** Name of the thing that is meant. */
  readonly name: string;
  readonly typed: string;
  readonly onType: (typed: string) => void;
}

/** Asks for a name before something that cannot be taken back, so that nobody does it to another one by mistake. */
export const NameField = ({ name, typed, onType }: Props) => (
  <Input
    label={`Type ${name} to go on`}
    mono
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    value={typed}
    onChange={(event) => onType(event.target.value)}
  />
);
