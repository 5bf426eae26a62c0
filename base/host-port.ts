/** An address of a server, as configurations write it. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST:PORT`. Returns `undefined` for any other text. */
export function parseHostPort(text: string): HostPort | undefined {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}
