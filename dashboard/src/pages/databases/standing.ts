/** One word for the standing of a database. A database that is READY with trouble is never shown as good. */
import type { Database } from '../../../../gen/api.ts';
import type { Tone } from '../../ui/States.tsx';

interface Standing {
  readonly word: string;
  readonly tone: Tone;
}

export function standingOf({ status, health }: Pick<Database, 'status' | 'health'>): Standing {
  switch (status) {
    case 'READY':
      return healths[health] ?? { word: health, tone: 'soft' };
    case 'PROVISIONING':
      return { word: 'Being made', tone: 'busy' };
    case 'SUSPENDED':
      return { word: 'Suspended', tone: 'warn' };
    case 'FAILED':
      return { word: 'Failed', tone: 'bad' };
    case 'DELETING':
      return { word: 'Being deleted', tone: 'busy' };
    case 'DELETED':
      return { word: 'Deleted', tone: 'soft' };
    default:
      // A newer service may have more.
      return { word: String(status), tone: 'soft' };
  }
}

const healths: Readonly<Record<Database['health'], Standing>> = {
  HEALTHY: { word: 'Healthy', tone: 'good' },
  DEGRADED: { word: 'Degraded', tone: 'warn' },
  UNAVAILABLE: { word: 'Unavailable', tone: 'bad' },
  UNKNOWN: { word: 'Ready, health unknown', tone: 'soft' },
};
