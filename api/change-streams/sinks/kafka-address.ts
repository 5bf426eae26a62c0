/** Addresses of brokers of Kafka, from a URL with several of them. */
import { faultOfHost, firstFreePort } from '../../webhooks/endpoint-url.ts';
import type { AddressGuard } from '../../webhooks/addresses.ts';

export interface KafkaBroker {
  readonly host: string;
  readonly port: number;
}

interface KafkaAddress {
  readonly tls: boolean;
  readonly brokers: readonly KafkaBroker[];
}

const brokersMax = 10;
const defaultPort = 9_092;

export const portsText = `from ${firstFreePort} on, or 443`;

export const isKafkaPort = (port: number): boolean =>
  port === 443 || (port >= firstFreePort && port <= 65_535);

/** `text`: `kafkas://host:port,host:port`. Returns `undefined` if it has another form. */
export function kafkaAddress(text: string): KafkaAddress | undefined {
  const [, scheme, list] = /^(kafkas?):\/\/([^/?#@\s]+)\/?$/.exec(text) ?? [];
  if (list === undefined) return undefined;
  const brokers: KafkaBroker[] = [];
  for (const one of list.split(',')) {
    const [, bracketed, plain, digits] =
      /^(?:\[([\d:a-f.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(one) ?? [];
    const host = bracketed ?? plain;
    const port = Number(digits ?? defaultPort);
    if (host === undefined || port > 65_535) return undefined;
    brokers.push({ host: host.toLowerCase(), port });
  }
  return { tls: scheme === 'kafkas', brokers };
}

/** Returns the reason why nothing can be sent there; `undefined`: it can. `plain`: connections without TLS are allowed as well. */
export function faultOfKafka(
  text: string,
  guard: AddressGuard,
  plain: boolean,
): string | undefined {
  const address = kafkaAddress(text);
  if (address === undefined) return 'must be kafkas://host:port, with further brokers after commas';
  const { tls, brokers } = address;
  if (!tls && !plain) return 'must be kafkas';
  if (brokers.length > brokersMax) return `must have ${brokersMax} brokers at most`;
  for (const { host, port } of brokers) {
    if (!isKafkaPort(port)) return `must have ports ${portsText}`;
    const fault = faultOfHost(host, guard);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
