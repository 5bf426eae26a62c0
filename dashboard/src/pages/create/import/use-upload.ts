/** Uploads and completes an import, new or resumed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Import } from '../../../../../gen/api.ts';
import { intentKey } from '../../../data/client.ts';
import {
  beginImport,
  completeImport,
  importsKey,
  putPart,
  readImport,
} from '../../../data/import-queries.ts';
import { patiently } from '../../../data/patience.ts';
import { pause } from '../../../lib/pause.ts';
import { useOrganization } from '../../../shell/context.ts';
import { announced, indexIn, type ChosenFile } from './chosen-files.ts';
import { partsToSend, totalBytesOf, type Part } from './parts.ts';
import { SentBytes, type Progress } from './progress.ts';
import { sendParts, type Sending } from './send-parts.ts';

/** Browsers open six connections to a host over HTTP/1.1; the page needs some of them. */
const lanes = 3;
const drawMs = 300;
const lookAgainMs = 2_000;

/** The person stopped the upload. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

interface Wanted {
  readonly chosen: readonly ChosenFile[];
  /** An import of these files to resume. */
  readonly begun: Import | undefined;
}

export function useUpload(onReady: (ready: Import) => void) {
  const { id: organizationId } = useOrganization();
  const queryClient = useQueryClient();
  const stopper = useRef(new AbortController());
  const [intent, setIntent] = useState(intentKey);
  const [begun, setBegun] = useState<Import>();
  const [progress, setProgress] = useState<Progress>();
  useEffect(() => () => stopper.current.abort(new Stopped()), []);
  const upload = useMutation({
    mutationFn: async ({ chosen, begun }: Wanted) => {
      const stop = new AbortController();
      stopper.current = stop;
      const one =
        begun === undefined
          ? await beginImport(organizationId, announced(chosen), intent)
          : await readImport(organizationId, begun.id);
      setBegun(one);
      // Another import, later, is another intent even with the same files.
      setIntent(intentKey());
      if (one.status === 'READY') return one;
      if (one.status === 'UPLOADING') {
        await send(organizationId, { one, chosen, signal: stop.signal, onProgress: setProgress });
        setBegun(await completeImport(organizationId, one.id));
      }
      return awaitTrial(organizationId, one.id, stop.signal);
    },
    onSuccess: onReady,
    onSettled: () => queryClient.invalidateQueries({ queryKey: importsKey(organizationId) }),
  });
  return {
    /** The import that is being uploaded, or whose upload stopped. */
    begun,
    progress,
    isBusy: upload.isPending,
    error: upload.error instanceof Stopped ? null : upload.error,
    start: upload.mutate,
    stop: () => stopper.current.abort(new Stopped()),
    forget: () => {
      setBegun(undefined);
      setProgress(undefined);
      upload.reset();
    },
  };
}

/** Data files are READY at once; of rows, the service tries every one first. */
async function awaitTrial(
  organizationId: string,
  importId: string,
  signal: AbortSignal,
): Promise<Import> {
  for (;;) {
    const one = await patiently(() => readImport(organizationId, importId), { signal });
    if (one.status === 'READY') return one;
    if (one.status === 'FAULTY' && one.report !== null) throw new RowsFaulty(one.report);
    if (one.status !== 'CHECKING') throw new UploadEnded(closedWords);
    await pause(lookAgainMs, signal);
    signal.throwIfAborted();
  }
}

interface Send {
  readonly one: Import;
  readonly chosen: readonly ChosenFile[];
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

async function send(organizationId: string, { one, chosen, signal, onProgress }: Send) {
  const { first, others } = partsToSend(one);
  const all = [...first, ...others];
  const sent = new SentBytes(totalBytesOf(one), all, performance.now());
  const draw = () => onProgress(sent.at(performance.now()));
  draw();
  const timer = setInterval(draw, drawMs);
  try {
    const sending: Sending = {
      lanes,
      signal,
      pause,
      send: async (part, signal) => {
        sent.moved(part, 0);
        const bytes = await bytesOfPart(chosen, part);
        const onSent = (count: number) => sent.moved(part, Math.min(count, part.to - part.from));
        await putPart(organizationId, { importId: one.id, ...part, bytes }, { signal, onSent });
        sent.arrived(part);
      },
    };
    await sendParts(first, sending);
    await sendParts(others, sending);
  } finally {
    clearInterval(timer);
    draw();
  }
}

async function bytesOfPart(
  chosen: readonly ChosenFile[],
  { replicaIndex, from, to }: Part,
): Promise<ArrayBuffer> {
  const found = chosen.find((one) => indexIn(chosen, one) === replicaIndex);
  if (found === undefined) throw new Error(`there is no file ${replicaIndex}`);
  try {
    return await found.file.slice(from, to).arrayBuffer();
  } catch (error) {
    // Browsers refuse to read a file that was changed since it was chosen.
    throw new UploadEnded(
      `${found.file.name} was changed or moved since you chose it, or cannot be read any more. Choose the files again. If they were changed, start a new import.`,
      { cause: error },
    );
  }
}

const closedWords = 'This import has expired or was already used. Start a new import.';

/** Rows with faults. */
export class RowsFaulty extends Error {
  override readonly name = 'RowsFaulty';
  readonly report: NonNullable<Import['report']>;

  constructor(report: NonNullable<Import['report']>) {
    super('the rows have faults');
    this.report = report;
  }
}

/** An upload that cannot continue, with a message for people. */
export class UploadEnded extends Error {
  override readonly name = 'UploadEnded';
}
