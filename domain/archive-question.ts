/** Questions about moments of the archived log, from the API through an engine to the archiver beside it. */
import { z } from 'zod';

const op = z.number().int().nonnegative();
/** Nanoseconds since 1970, decimal. */
const timestamp = z.string().regex(/^\d{1,20}$/);

/** Which operation is reached: that one, or the last one at or before a timestamp. */
export const archiveQuestionSchema = z.object({
  id: op,
  op: op.optional(),
  timestamp: timestamp.optional(),
});
export type ArchiveQuestion = z.infer<typeof archiveQuestionSchema>;

/** `moment` is absent if the log does not have it, or the store does not answer. */
export const archiveAnswerSchema = z.object({
  id: op,
  moment: z.object({ op, timestamp }).optional(),
});
export type ArchiveAnswer = z.infer<typeof archiveAnswerSchema>;

/** Answer of an engine to a question: the operation and its timestamp. */
export const askedMomentSchema = z.object({ op, timestamp });

/** Time that a question may take, from the engine's view, in milliseconds. */
export const QUESTION_MS = 5_000;
