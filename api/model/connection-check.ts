/** A connection check: one lookup of an account that does not exist, which shows that a client reaches a database. */
export const connectionLanguages = [
  'node',
  'go',
  'java',
  'dotnet',
  'python',
  'rust',
  'curl',
  'cli',
] as const;
export type ConnectionLanguage = (typeof connectionLanguages)[number];

/** Through `ledgerhouse connect`, over the HTTP API, or from inside the Kubernetes cluster. */
export const connectionWays = ['tunnel', 'http', 'cluster'] as const;
export type ConnectionWay = (typeof connectionWays)[number];

/** The way in which the lookup reached the database. */
export interface ObservedLookup {
  readonly via: ConnectionWay;
  /** Name of the program, if its requests contain it. Clients of the protocol report only their release. */
  readonly client: string | null;
  readonly clientVersion: string | null;
  readonly ip: string | null;
  /** From the request's arrival at the service to the answer. */
  readonly latencyMs: number | null;
}

/** A problem that kept a client from the database, as far as the service saw it. */
export interface ConnectionTrouble {
  readonly code: string;
  readonly detail: string;
}
