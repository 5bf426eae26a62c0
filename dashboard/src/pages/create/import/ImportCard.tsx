import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateCatalog, Import } from '../../../../../gen/api.ts';
import { releaseOfText } from '../../../../../domain/import-files/file-head.ts';
import { shownBytes } from '../../../lib/figures.ts';
import { useNow } from '../../../shell/context.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card, Facts } from '../../../ui/Page.tsx';
import { When } from '../../../ui/When.tsx';
import { faultsOf, readChosen, whyOthers, type ChosenFile } from './chosen-files.ts';
import { DropFiles } from './DropFiles.tsx';
import { FileList } from './FileList.tsx';
import styles from './Import.module.css';
import { namesOf, OpenImports } from './OpenImports.tsx';
import { Uploading } from './Uploading.tsx';
import { UploadProblem } from './UploadProblem.tsx';
import { useUpload } from './use-upload.ts';

interface Props {
  readonly catalog: CreateCatalog;
  /** An import that is READY. */
  readonly ready: Import | undefined;
  readonly onReady: (ready: Import | undefined) => void;
}

/** Card that chooses, checks and uploads the data files with which the database begins. */
export function ImportCard({ catalog, ready, onReady }: Props) {
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([]);
  /** An earlier import to resume. The person has to choose its files again. */
  const [before, setBefore] = useState<Import>();
  const upload = useUpload((one) => {
    setBefore(undefined);
    onReady(one);
  });
  if (ready !== undefined) {
    return (
      <Card title="Files">
        <Ready
          ready={ready}
          onLeave={() => {
            upload.forget();
            setChosen([]);
            onReady(undefined);
          }}
        />
      </Card>
    );
  }
  if (upload.begun !== undefined) {
    return (
      <Card title="Files">
        <Uploading
          upload={upload}
          chosen={chosen}
          onResume={() => upload.start({ chosen, begun: upload.begun })}
          onLeave={() => {
            upload.forget();
            setChosen([]);
          }}
        />
      </Card>
    );
  }
  return (
    <Card title="Files">
      <Choose
        catalog={catalog}
        chosen={chosen}
        before={before}
        upload={upload}
        onChosen={setChosen}
        onTake={(one) => {
          upload.forget();
          setChosen([]);
          if (one?.status === 'READY') onReady(one);
          else setBefore(one);
        }}
      />
    </Card>
  );
}

interface ChooseProps {
  readonly catalog: CreateCatalog;
  readonly chosen: readonly ChosenFile[];
  readonly before: Import | undefined;
  readonly upload: ReturnType<typeof useUpload>;
  readonly onChosen: (chosen: readonly ChosenFile[]) => void;
  /** `undefined`: start a new import. */
  readonly onTake: (one: Import | undefined) => void;
}

function Choose({ catalog, chosen, before, upload, onChosen, onTake }: ChooseProps) {
  const now = useNow();
  const read = useMutation({ mutationFn: readChosen, onSuccess: onChosen });
  const release = releaseOfText(catalog.import.newestRelease ?? '') ?? 0;
  const tigerBeetle = releaseOfText(catalog.import.tigerBeetle?.newestRelease ?? '');
  const faults = faultsOf(chosen, {
    release,
    ...(tigerBeetle !== undefined && { tigerBeetleRelease: tigerBeetle }),
    now,
  });
  const others = before === undefined || faults.length > 0 ? undefined : whyOthers(chosen, before);
  const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <div className={styles.stack}>
      {before !== undefined && (
        <div className={styles.apart}>
          <p>
            Resuming the upload of <strong>{namesOf(before)}</strong>. Choose the same files again;
            the first part of each is compared, and then the missing ones are sent.
          </p>
          <Button small onClick={() => onTake(undefined)}>
            Start a new import
          </Button>
        </div>
      )}
      <DropFiles
        title="Drop the files here"
        about="Accounts and transfers in CSV or NDJSON, or exported data files, or those of a TigerBeetle cluster that was stopped, one for each replica. Choose all of them at once. They are checked here before anything is sent."
        onFiles={(files) => files.length > 0 && read.mutate(files)}
      />
      {read.isError && <p className={styles.faults}>A file cannot be read. Choose it again.</p>}
      {chosen.length > 0 && (
        <>
          <FileList chosen={chosen} faults={faults} />
          {faults
            .filter(({ file }) => file === undefined)
            .map(({ code, detail }) => (
              <p key={code} className={styles.faults}>
                {detail}
              </p>
            ))}
          {others !== undefined && <p className={styles.faults}>{others}</p>}
          {upload.error !== null && <UploadProblem error={upload.error} chosen={chosen} />}
          <div className={styles.buttons}>
            <Button
              look="main"
              busy={upload.isBusy}
              disabledReason={
                faults.length > 0
                  ? 'These files cannot be imported, for the reasons above.'
                  : others
              }
              onClick={() => upload.start({ chosen, begun: before })}
            >
              {before === undefined ? `Upload ${shownBytes(bytes)}` : 'Resume upload'}
            </Button>
          </div>
        </>
      )}
      {before === undefined && chosen.length === 0 && <OpenImports onTake={onTake} />}
    </div>
  );
}

const factsOf = ({ clusterId, replicaCount, report }: Import): [string, string][] =>
  report === null
    ? [
        ['Cluster of the files', clusterId ?? 'not known'],
        ['Replicas', String(replicaCount)],
      ]
    : [
        ['Accounts', String(report.accounts)],
        ['Transfers', String(report.transfers)],
      ];

const isOfTigerBeetle = ({ files }: Import): boolean =>
  files.some(({ head }) => head?.engine === 'TigerBeetle');

interface ReadyProps {
  readonly ready: Import;
  readonly onLeave: () => void;
}

const Ready = ({ ready, onLeave }: ReadyProps) => (
  <div className={styles.stack}>
    <p>
      {ready.kind === 'ROWS'
        ? 'All rows were tried, and nothing is wrong with them.'
        : 'The files are uploaded and belong together.'}
    </p>
    <Facts rows={[...factsOf(ready), ['Expires', <When key="expires" at={ready.expiresAt} />]]} />
    <p className={styles.soft}>
      {isOfTigerBeetle(ready)
        ? 'The database keeps the cluster ID of the files, and gets addresses of its own. Never start the other cluster again.'
        : 'The database gets a cluster ID and addresses of its own; clients of the other one do not reach it by mistake.'}
    </p>
    <div className={styles.buttons}>
      <Button onClick={onLeave}>Take other files</Button>
    </div>
  </div>
);
