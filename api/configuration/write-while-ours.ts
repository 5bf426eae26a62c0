/** Writes to a database's resource for a job: a worker that has lost the job by then writes nothing. */
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';

export type ResourceWriter = Pick<
  DatabaseWriter,
  'read' | 'create' | 'change' | 'changeIf' | 'delete' | 'deleteIf'
>;

/** `mustBeOurs` is asked after the resource was read: what another worker has written since is in no version that was read. */
export function writeWhileOurs(
  writer: ResourceWriter,
  mustBeOurs: () => Promise<void>,
): ResourceWriter {
  const whileOurs =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await mustBeOurs();
      return write(...args);
    };
  return {
    read: (...args) => writer.read(...args),
    create: whileOurs((...args: Parameters<ResourceWriter['create']>) => writer.create(...args)),
    change: whileOurs((...args: Parameters<ResourceWriter['change']>) => writer.change(...args)),
    changeIf: whileOurs((...args: Parameters<ResourceWriter['changeIf']>) =>
      writer.changeIf(...args),
    ),
    delete: whileOurs((...args: Parameters<ResourceWriter['delete']>) => writer.delete(...args)),
    deleteIf: whileOurs((...args: Parameters<ResourceWriter['deleteIf']>) =>
      writer.deleteIf(...args),
    ),
  };
}
