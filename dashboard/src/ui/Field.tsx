import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import styles from './Field.module.css';

interface Frame {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface InputProps extends Frame, InputHTMLAttributes<HTMLInputElement> {
  readonly mono?: boolean;
}

export function Input({ label, hint, error, mono = false, ...rest }: InputProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        // Words are read in the direction of their script; what a program reads, from the left.
        dir={mono ? 'ltr' : 'auto'}
        {...rest}
        id={id}
        className={`${styles.input} ${mono ? styles.mono : ''}`}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={`${id}-about`}
      />
      <About id={id} hint={hint} error={error} />
    </div>
  );
}

export interface SelectProps extends Frame, SelectHTMLAttributes<HTMLSelectElement> {
  /** A sign beside the label. */
  readonly beside?: ReactNode;
}

export function Select({ label, beside, hint, error, children, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <div className={styles.title}>
        <label htmlFor={id}>{label}</label>
        {beside}
      </div>
      <select
        {...rest}
        id={id}
        className={styles.input}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={`${id}-about`}
      >
        {children}
      </select>
      <About id={id} hint={hint} error={error} />
    </div>
  );
}

const About = ({
  id,
  hint,
  error,
}: {
  readonly id: string;
  readonly hint: ReactNode;
  readonly error: string | undefined;
}) => (
  <div id={`${id}-about`} className={styles.about}>
    {error === undefined ? hint : <span className={styles.error}>{error}</span>}
  </div>
);

interface CheckboxProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-about`}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <div id={`${id}-about`} className={styles.about}>
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}

interface TextAreaProps extends Frame, TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly mono?: boolean;
}

export function TextArea({ label, hint, error, mono = false, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <textarea
        dir={mono ? 'ltr' : 'auto'}
        {...rest}
        id={id}
        className={`${styles.input} ${mono ? styles.mono : ''}`}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={`${id}-about`}
      />
      <About id={id} hint={hint} error={error} />
    </div>
  );
}
