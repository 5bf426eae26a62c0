/** Address of a broker that speaks AMQP 0-9-1, from its URL. */
import { hostOf } from '../../webhooks/endpoint-url.ts';

export interface AmqpAddress {
  readonly host: string;
  readonly port: number;
  readonly vhost: string;
  readonly tls: boolean;
}

/** `url`: `amqps://host:port/vhost`. Without a vhost it is `/`. */
export function amqpAddress(url: URL): AmqpAddress {
  const tls = url.protocol === 'amqps:';
  const path = decodeURIComponent(url.pathname.slice(1));
  return {
    host: hostOf(url),
    port: Number(url.port || (tls ? 5_671 : 5_672)),
    vhost: path === '' ? '/' : path,
    tls,
  };
}
