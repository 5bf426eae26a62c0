/**
 * Sign-in at a broker of Kafka, which may be anybody's server. The library throws on an answer that is no message of SCRAM where nobody
 * catches it, and computes a key as often as the broker says: both would take the worker from all other streams.
 */
import type { Connection, SASLOptions } from '@platformatic/kafka';
import type { KafkaSink } from '../../model/change-stream.ts';
import type { kafkaLibrary } from './kafka-cluster.ts';

type Library = Awaited<ReturnType<typeof kafkaLibrary>>;
type Authenticate = NonNullable<SASLOptions['authenticate']>;
type Callback = Parameters<Authenticate>[6];
type AuthenticateApi = Parameters<Authenticate>[2];

/** Kafka's own default is 4,096; this many take some tenths of a second. */
const iterationsMax = 200_000;
/** A broker that asks for another sign-in sooner would have the worker compute keys without end. */
const sessionMinMs = 60_000n;

/** The message is for people. */
export class TooManyIterations extends Error {
  override readonly name = 'TooManyIterations';
  override readonly message = `The broker asks for more than ${iterationsMax} iterations of the password. Set fewer for its user.`;
}

export function signIn(library: Library, sink: KafkaSink, password: string): SASLOptions {
  const { mechanism, username } = sink;
  const { saslPlain, saslScramSha } = library;
  const { defaultCrypto } = saslScramSha;
  const crypto = {
    ...defaultCrypto,
    hi: async (...key: Parameters<typeof defaultCrypto.hi>) => {
      if (key[3] <= iterationsMax) return defaultCrypto.hi(...key);
      throw new TooManyIterations();
    },
  };
  return {
    mechanism,
    username,
    password,
    authenticate: (_, connection, api, _username, _password, _token, callback) => {
      const done = bounded(callback);
      const ask = guarded(api, done);
      if (mechanism === 'PLAIN') saslPlain.authenticate(ask, connection, username, password, done);
      else {
        const algorithm = mechanism === 'SCRAM-SHA-256' ? 'SHA-256' : 'SHA-512';
        saslScramSha.authenticate(ask, connection, algorithm, username, password, crypto, done);
      }
    },
  };
}

/** Turns an error in reading an answer into a failed sign-in. */
function guarded(api: AuthenticateApi, failed: Callback): AuthenticateApi {
  const ask = (connection: Connection, bytes: Buffer, answered: Callback) =>
    api(connection, bytes, (error, response) => {
      try {
        answered(error, response);
      } catch (thrown) {
        failed(thrown as Error, response);
      }
    });
  return Object.assign(ask, api);
}

const bounded =
  (callback: Callback): Callback =>
  (error, response) => {
    if (error !== null || response === undefined) return callback(error, response);
    const { sessionLifetimeMs: asked } = response;
    const sessionLifetimeMs = asked > 0n && asked < sessionMinMs ? sessionMinMs : asked;
    return callback(null, { ...response, sessionLifetimeMs });
  };
