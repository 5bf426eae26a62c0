/**
 * Stands in for an Ingress: terminates TLS, reads each request, and passes it on with the headers that proxies add; also those that
 * ask for a WebSocket.
 */
import { request, ServerResponse, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';

interface Certificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** `target` returns the port of the loopback that gets the next request; without one, the client is disconnected. */
export function reverseProxy(certificate: Certificate, target: () => number | undefined): Server {
  const ask = (incoming: IncomingMessage) => {
    const { method, url, headers, socket } = incoming;
    return request({
      host: '127.0.0.1',
      port: target() ?? 0,
      method,
      path: url,
      headers: {
        ...headers,
        'x-forwarded-for': socket.remoteAddress ?? '',
        'x-forwarded-proto': 'https',
      },
    });
  };
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const onward = ask(incoming);
    onward.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, outgoing, () => {});
    });
    onward.once('error', () => outgoing.destroy());
    outgoing.once('close', () => onward.destroy());
    return onward;
  };
  const server = createServer({ ...certificate, noDelay: true }, (incoming, outgoing) => {
    incoming.pipe(pass(incoming, outgoing));
  });
  server.on('upgrade', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = false;
    outgoing.assignSocket(client as Socket);
    const end = () => client.end();
    outgoing.once('finish', end);
    client.on('error', () => {});
    const onward = pass(incoming, outgoing);
    onward.once('upgrade', (answer, service, first) => {
      outgoing.off('finish', end);
      outgoing.detachSocket(client as Socket);
      const lines = ['HTTP/1.1 101 Switching Protocols'];
      for (const [name, value] of Object.entries(answer.headers)) {
        lines.push(`${name}: ${String(value)}`);
      }
      client.write(`${lines.join('\r\n')}\r\n\r\n`);
      client.write(first);
      service.write(head);
      join(client, service);
    });
    onward.end();
  });
  return server;
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => {});
    from.once('close', () => to.destroy());
  }
}
