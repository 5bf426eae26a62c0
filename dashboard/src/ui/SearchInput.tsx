import { useEffect, useRef, useState } from 'react';
import { Input } from './Field.tsx';

const waitMs = 300;

interface Props {
  readonly label: string;
  readonly maxLength: number;
  readonly placeholder?: string;
  readonly value: string | undefined;
  /** `undefined`: the text was taken away. */
  readonly onChange: (text: string | undefined) => void;
}

/** Text to search for, told once a person has stopped typing for a moment. */
export function SearchInput({ label, maxLength, placeholder, value = '', onChange }: Props) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    // The reported value comes back, while the person may have typed on; any other value was changed in another place.
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === told.current) return undefined;
    const timer = setTimeout(() => {
      told.current = text;
      onChange(text === '' ? undefined : text);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <Input
      label={label}
      type="search"
      maxLength={maxLength}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
