/** Draft of a change stream, and the requests that are made from it. */
import type {
  ChangeStream,
  CreateChangeStreamRequest,
  UpdateChangeStreamRequest,
} from '../../../../gen/api.ts';
import { readBound } from '../../lib/time.ts';

export interface StreamDraft {
  readonly url: string;
  readonly description: string;
  readonly start: 'now' | 'beginning' | 'time';
  /** Time after which the stream begins, as typed: an ISO time, `-1h` or nanoseconds. */
  readonly time: string;
}

export const draftOf = (stream: ChangeStream | undefined): StreamDraft => ({
  url: stream?.sink.url ?? '',
  description: stream?.description ?? '',
  start: 'now',
  time: '',
});

/** `after` of the request. `undefined` if the text is not a time. */
export const startOf = ({ start, time }: StreamDraft, now: Date): string | undefined =>
  start === 'time' ? readBound(time, now) : start;

const sinkOf = ({ url }: StreamDraft) => ({ type: 'WEBHOOK', url: url.trim() }) as const;

export const newStream = (draft: StreamDraft, after: string): CreateChangeStreamRequest => ({
  sink: sinkOf(draft),
  description: draft.description,
  after,
});

/** Only the fields that are different: the audit log must not show changes that are none. */
export const changesOf = (draft: StreamDraft, stream: ChangeStream): UpdateChangeStreamRequest => ({
  ...(draft.url.trim() !== stream.sink.url && { sink: sinkOf(draft) }),
  ...(draft.description !== stream.description && { description: draft.description }),
});
