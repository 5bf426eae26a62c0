import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { say } from './announcer.ts';
import styles from './Copy.module.css';

/** Copies text. Where the page has no clipboard (plain http), it selects the text of a field instead. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = styles.hidden ?? '';
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

const shownMs = 1_500;

interface CopyProps {
  readonly text: string;
  /** Name of the copied thing, for the button. */
  readonly what: string;
}

export function Copy({ text, what }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const done = await copyText(text);
    setCopied(done);
    say(done ? `Copied ${what}` : 'Copying is not possible here');
  };
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      {copied ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />}
    </button>
  );
}
