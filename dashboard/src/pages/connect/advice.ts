/** Advice for each trouble that keeps a client from the database, by its code. */
const advice: Readonly<Record<string, string>> = {
  wrong_cluster: 'Give the client the cluster ID of this database: TB_CLUSTER_ID.',
  client_too_new: 'Use an older client, or upgrade the database.',
  client_too_old: 'Use a newer client.',
  evicted: 'Make one client in each process, and a new one now.',
  sessions_exhausted: 'More than 64 clients use the database. Make one client in each process.',
  insufficient_scope: 'Use a key with the permission that it names.',
  unsafe_request:
    'Post or void the transfer without the flag “imported”, or import it with another timestamp.',
  not_the_protocol: 'Something else than a client of the ledger uses the port.',
};

export const adviceFor = (code: string): string | undefined => advice[code];

/** Causes that are visible only on the client’s machine: nothing has arrived. */
export const unseen: readonly (readonly [cause: string, what: string])[] = [
  [
    'A name instead of an address',
    'Clients take IP addresses only: 127.0.0.1:3000, not localhost:3000. The variables of “ledgerhouse connect” are right as they are.',
  ],
  [
    'Another cluster ID',
    'A client that is given another one waits for ever, without an error. The number is in TB_CLUSTER_ID.',
  ],
  [
    'A firewall or proxy',
    'It must let HTTPS to this service out, and a proxy must pass WebSockets. HTTPS_PROXY is used.',
  ],
  ['A key for another database', '“ledgerhouse connect” says so when it starts.'],
];
