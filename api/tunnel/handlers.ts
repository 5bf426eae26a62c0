import { hasRight } from '../model/access.ts';
import { Refusal } from '../model/refusal.ts';
import type { Denial } from '../auth/denials.ts';
import type { Principal } from '../auth/principal.ts';
import type { tunnelRoutes } from '../contract/routes/tunnel.ts';
import type { PersonsWrite } from '../gateway/handlers.ts';
import type { LedgerTargets } from '../gateway/targets.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { Author } from '../model/actor.ts';
import { onBehalfOf } from '../store/connection-shares.ts';
import type { LedgerRights } from './check-message.ts';
import type { RecordWrite } from './tunnel.ts';
import type { Tunnels } from './tunnels.ts';

interface TunnelServices {
  readonly tunnels: Tunnels;
  readonly targets: LedgerTargets;
  readonly denied: (denial: Denial) => void;
  /** Records a person's write; awaited before any part of it is sent. */
  readonly personWrites: (author: Author, write: PersonsWrite) => Promise<void>;
}

export function tunnelHandlers({
  tunnels,
  targets,
  denied,
  personWrites,
}: TunnelServices): HandlersOf<typeof tunnelRoutes> {
  return {
    openTunnel: async ({ params, query, principal, author }) => {
      const { databaseId } = params;
      const { replica } = query;
      const organizationId = principal.organization.id;
      const again = () => targets.resolve(organizationId, databaseId);
      const target = await again();
      if (target instanceof Refusal) throw target;
      if (target.addresses[replica] === undefined)
        throw noReplica(replica, target.addresses.length);
      const database = { organizationId, databaseId, databaseName: target.name };
      const record: RecordWrite = async (operation, events, body) => {
        if (principal.type === 'api_key') return;
        const write = { ...database, operation, events, body };
        await onBehalfOf(organizationId, () => personWrites(author, write));
      };
      const request = {
        of: { ...database, credentialId: principal.credentialId, author },
        rights: rightsOf(principal),
        replica,
        target,
        again,
        record,
        denied: (action: string) =>
          denied({ principal, author, action, code: 'insufficient_scope', outcome: 'DENIED' }),
      };
      return {
        status: 101,
        serve: (socket, terms) => tunnels.serve(socket, request, terms),
      };
    },
  };
}

/** Ledgers of a suspended organization are read-only, as over HTTP. */
function rightsOf(principal: Principal): LedgerRights {
  const isActive = principal.organization.status === 'ACTIVE';
  if (principal.type === 'api_key') {
    const { permissions } = principal;
    return {
      reads: permissions.includes('db:read'),
      writes: isActive && permissions.includes('db:write'),
    };
  }
  const { role } = principal;
  return {
    reads: hasRight(role, 'readDatabases'),
    writes: isActive && hasRight(role, 'writeLedger'),
  };
}

function noReplica(replica: number, count: number): Refusal {
  const detail = `The database has ${count} ${count === 1 ? 'replica' : 'replicas'}, numbered from 0; ${replica} is not one of them.`;
  return new Refusal('invalid_parameter', {
    detail,
    errors: [{ parameter: 'replica', code: 'out_of_range', detail }],
  });
}
