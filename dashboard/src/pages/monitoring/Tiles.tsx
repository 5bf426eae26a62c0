import type { ReactNode } from 'react';
import type { CurrentMetrics } from '../../../../gen/api.ts';
import { shownFigure, shownShare, sumOf, unknownFigure, type Figure } from '../../lib/figures.ts';
import { Badge, Progress, type Tone } from '../../ui/States.tsx';
import styles from './Monitoring.module.css';
import { processorWords, forecastTone, forecastWords, replicaWords, usedWords } from './words.ts';

/** The current figures of the database. */
export function Tiles({ current }: { readonly current: CurrentMetrics }) {
  const { usage, gateway, forecast } = current;
  const replicas = usage === null ? undefined : replicaWords(usage);
  const isSilent = usage?.nodes.some(({ up }) => !up) === true;
  const perSecond = (value: Figure) => shownFigure(value, 'per_second');
  const seconds = (value: Figure) => shownFigure(value, 'seconds');
  return (
    <section aria-label="Now" className={styles.tiles}>
      <Tile
        name="Requests"
        value={perSecond(current.requestsPerSecond)}
        about={`${perSecond(current.transfersPerSecond)} transfers made.`}
      />
      <Tile
        name="Latency, p99"
        value={seconds(current.requestP99Seconds)}
        about="Of all operations in the engine."
      />
      <Tile
        name="Gateway"
        value={perSecond(gateway.answeredPerSecond)}
        about={`${perSecond(gateway.failedPerSecond)} failed, p99 ${seconds(gateway.p99Seconds)}.`}
        {...((gateway.failedPerSecond ?? 0) > 0 && { badge: ['bad', 'failures'] as const })}
      />
      <Tile
        name="Replicas"
        value={replicas?.value ?? unknownFigure}
        about={replicas?.about ?? 'Nothing was heard for a minute.'}
        {...(isSilent && { badge: ['bad', 'silent'] as const })}
      />
      <Tile
        name="Processors"
        value={shownFigure(usage?.cpuCores ?? null, 'cores')}
        about={processorWords(usage)}
      />
      <Tile
        name="Connections"
        value={shownFigure(
          sumOf(usage?.nodes.map(({ connections }) => connections) ?? []),
          'count',
        )}
        about="Of clients, to all replicas."
      />
      <Used name="Memory" used={usage?.memory} forecast={forecast.memory} />
      <Used name="Storage" used={usage?.storage} forecast={forecast.storage} />
    </section>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly about: string;
  readonly badge?: readonly [Tone, string];
  readonly children?: ReactNode;
}

const Tile = ({ name, value, about, badge, children }: TileProps) => (
  <div className={styles.tile}>
    <h2>{name}</h2>
    <p className={styles.value}>
      {value} {badge !== undefined && <Badge tone={badge[0]}>{badge[1]}</Badge>}
    </p>
    {children}
    <p className={styles.soft}>{about}</p>
  </div>
);

interface UsedProps {
  readonly name: string;
  readonly used: { readonly usedBytes: Figure; readonly limitBytes: Figure } | undefined;
  readonly forecast: CurrentMetrics['forecast']['storage'];
}

function Used({ name, used, forecast }: UsedProps) {
  const { usedBytes = null, limitBytes = null } = used ?? {};
  const tone = forecastTone(forecast);
  const isKnown = usedBytes !== null && limitBytes !== null && limitBytes > 0;
  return (
    <Tile
      name={name}
      value={shownShare(usedBytes, limitBytes)}
      about={[usedWords(usedBytes, limitBytes), forecast && forecastWords(forecast)].join(' ')}
      {...(tone !== undefined && { badge: [tone, 'full soon'] as const })}
    >
      {isKnown && <Progress label={`${name} used`} percent={(100 * usedBytes) / limitBytes} />}
    </Tile>
  );
}
