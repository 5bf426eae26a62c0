import { Select } from './Field.tsx';

interface Props<T extends string> {
  readonly label: string;
  /** Text of the choice that filters nothing. */
  readonly any?: string;
  readonly choices: readonly (readonly [value: T, text: string])[];
  readonly value: T | undefined;
  /** `undefined`: the filter was taken off. */
  readonly onChange: (value: T | undefined) => void;
}

/** A filter that is one of a few words, or none. */
export const FilterSelect = <T extends string>({
  label,
  any = 'Any',
  choices,
  value,
  onChange,
}: Props<T>) => (
  <Select
    label={label}
    value={value ?? ''}
    onChange={(event) => onChange(choices.find(([one]) => one === event.target.value)?.[0])}
  >
    <option value="">{any}</option>
    {choices.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </Select>
);
