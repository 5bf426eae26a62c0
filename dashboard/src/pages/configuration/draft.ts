/** A person's draft of a configuration, and the request for it, which has only the differences. */
import type { Configuration, PreviewChangeRequest } from '../../../../gen/api.ts';

export interface ConfigurationDraft {
  /** Another one is a change of its own. */
  readonly clusterConfiguration: Configuration['clusterConfiguration'];
  readonly clusterSize: string;
  /** GiB as typed. */
  readonly storageGb: string;
  /** GiB up to which the storage grows by itself; empty: it does not. */
  readonly autogrowGb: string;
  readonly engineVersion: string;
  /** Seconds within which the archived log has an operation; empty: the log is not archived. */
  readonly archiveSeconds: string;
  /** Empty: the default. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const draftOf = (configuration: Configuration): ConfigurationDraft => ({
  clusterConfiguration: configuration.clusterConfiguration,
  clusterSize: configuration.clusterSize,
  storageGb: String(configuration.selectedStorageGb),
  autogrowGb: configuration.autogrow === null ? '' : String(configuration.autogrow.limitGb),
  engineVersion: configuration.engineVersion,
  archiveSeconds: String(configuration.continuousArchiving?.rpoSeconds ?? ''),
  parameters: configuration.parameters,
});

/** `undefined`: the draft differs in nothing. Text that is no number is sent as 0: the service's answer says what is wrong. */
export function requestOf(
  draft: ConfigurationDraft,
  configuration: Configuration,
): PreviewChangeRequest | undefined {
  const now = draftOf(configuration);
  const parameters: Record<string, string | null> = {};
  for (const name of new Set([...Object.keys(draft.parameters), ...Object.keys(now.parameters)])) {
    const wanted = (draft.parameters[name] ?? '').trim();
    if (wanted !== (now.parameters[name] ?? '')) parameters[name] = wanted === '' ? null : wanted;
  }
  const request: PreviewChangeRequest = {
    ...(draft.clusterConfiguration !== now.clusterConfiguration && {
      clusterConfiguration: draft.clusterConfiguration,
    }),
    ...(draft.clusterSize !== now.clusterSize && { clusterSize: draft.clusterSize }),
    ...(draft.storageGb.trim() !== now.storageGb && {
      selectedStorageGb: wholeOf(draft.storageGb),
    }),
    ...(draft.autogrowGb.trim() !== now.autogrowGb && {
      autogrow: draft.autogrowGb.trim() === '' ? null : { limitGb: wholeOf(draft.autogrowGb) },
    }),
    ...(draft.engineVersion !== now.engineVersion && { engineVersion: draft.engineVersion }),
    ...(draft.archiveSeconds.trim() !== now.archiveSeconds && {
      continuousArchiving:
        draft.archiveSeconds.trim() === '' ? null : { rpoSeconds: wholeOf(draft.archiveSeconds) },
    }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
  return Object.keys(request).length === 0 ? undefined : request;
}

const wholeOf = (text: string): number =>
  /^\d{1,6}$/.test(text.trim()) ? Number.parseInt(text, 10) : 0;
