/** The tunnel for official clients: a WebSocket for each connection of a client to a replica. */
import { z } from 'zod';
import { access } from '../../model/access.ts';
import type { RouteSpec } from '../route.ts';

export const tunnelRoutes = {
  openTunnel: {
    method: 'GET',
    path: '/api/v1/databases/{databaseId}/tunnel',
    tag: 'Ledger',
    summary: 'Connect an official client',
    description:
      'Opens a WebSocket (RFC 6455, subprotocol `ledgerhouse.tunnel.v1`) that carries the connection of one client of TigerBeetle’s protocol to one replica; `ledgerhouse connect` is its other end. Binary messages of at most 64 KiB hold bytes of the protocol, cut anywhere. Text messages, from the service only, are JSON: `code` and `detail` of something that the person at the client should know. Each request is checked against the rights of the credential: reads need `db:read`, creates need `db:write`; a request that is refused ends the client’s session. The credential is checked again every 20 seconds.',
    access: access.connect,
    query: z.strictObject({
      replica: z.int().min(0).max(5).default(0).describe('Index of the replica.'),
    }),
    responses: {
      101: {
        form: 'websocket',
        description: 'The connection is a WebSocket from now on.',
        headers: [],
      },
    },
    problems: ['database_not_ready', 'upgrade_required'],
  },
} as const satisfies Record<string, RouteSpec>;
