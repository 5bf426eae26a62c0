import { expect, test } from '@jest/globals';
import { besideFields, ProblemError } from './problem-error.ts';

const refusal = (...pointers: readonly string[]) =>
  new ProblemError({
    type: 'about:blank',
    title: 'Request validation failed',
    status: 422,
    detail: 'A detail.',
    instance: '',
    code: 'validation_failed',
    requestId: '',
    retryable: false,
    errors: pointers.map((pointer) => ({
      pointer,
      code: 'invalid',
      detail: 'must be another one',
    })),
  });

test('an error is shown by itself unless the fields of the form show all of it', () => {
  const shown = ['name', 'labels'];
  expect(besideFields(refusal('/name', '/labels/team'), shown)).toBeNull();
  const other = refusal('/name', '/clusterSize');
  expect(besideFields(other, shown)).toBe(other);
  const whole = refusal();
  expect(besideFields(whole, shown)).toBe(whole);
  expect(besideFields(null, shown)).toBeNull();
});
