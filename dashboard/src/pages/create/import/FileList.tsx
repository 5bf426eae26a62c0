import { said } from '../../../lib/said.ts';
import { releaseText } from '../../../../../domain/import-files/file-head.ts';
import { grouped } from '../../../lib/digits.ts';
import { shownBytes } from '../../../lib/figures.ts';
import { exactLedgerTime } from '../../../lib/time.ts';
import { useZone } from '../../../shell/context.ts';
import { Badge } from '../../../ui/States.tsx';
import { headOf, type ChosenFault, type ChosenFile } from './chosen-files.ts';
import styles from './Import.module.css';

interface Props {
  readonly chosen: readonly ChosenFile[];
  readonly faults: readonly ChosenFault[];
}

/** The chosen files with the contents of their heads, and what is wrong with each. */
export const FileList = ({ chosen, faults }: Props) => (
  <ul aria-label="Chosen files" className={styles.list}>
    {chosen.map((one, index) => (
      <Item
        // oxlint-disable-next-line react/no-array-index-key -- two files may have one name, and the items hold no state
        key={index}
        one={one}
        faults={faults.filter(({ file }) => file === index)}
      />
    ))}
  </ul>
);

interface ItemProps {
  readonly one: ChosenFile;
  readonly faults: readonly ChosenFault[];
}

function Item({ one, faults }: ItemProps) {
  const zone = useZone();
  const head = headOf(one);
  return (
    <li className={styles.item}>
      <div className={styles.head}>
        <strong>{said(one.file.name)}</strong>
        <span className={styles.soft}>{shownBytes(one.file.size)}</span>
        {faults.length === 0 ? (
          <Badge tone="good">can be imported</Badge>
        ) : (
          <Badge tone="bad">cannot be imported</Badge>
        )}
      </div>
      {head !== undefined && (
        <p className={styles.soft}>
          {`Cluster ${head.clusterId}, replica ${head.replicaIndex} of ${head.replicaCount}, release ${releaseText(head.release)}, `}
          {`operation ${grouped(String(head.op))} of ${exactLedgerTime(String(head.timestamp), zone)}`}
        </p>
      )}
      {faults.map(({ code, detail }) => (
        <p key={`${code} ${detail}`} className={styles.faults}>
          {detail}
        </p>
      ))}
    </li>
  );
}
