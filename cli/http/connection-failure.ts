/** Reason why an attempt had no answer, and whether the service may have received the request anyway. */
import { DeadlineExceeded } from '../../base/deadline.ts';
import { CliFailure } from '../failure.ts';
import { ExitCode } from '../exit-code.ts';

interface ConnectionFailure {
  readonly failure: CliFailure;
  /** Whether the request may have arrived. */
  readonly maybeExecuted: boolean;
  readonly unanswered: boolean;
  readonly retryable: boolean;
}

/** There was no connection, so no byte of the request was sent. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  // For ports that belong to other protocols, such as 6000 (Fetch, section 2.9).
  'bad port',
]);

/** The server does not speak TLS. */
const isNoTls = (code: string): boolean =>
  /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)|EPROTO)$/.test(code);

export function classifyConnectionFailure(error: unknown, host: string): ConnectionFailure {
  if (error instanceof DeadlineExceeded) {
    return {
      failure: connectionFailure(
        ExitCode.Unknown,
        'timeout',
        'No answer in time',
        `${host}: ${error.message}`,
      ),
      maybeExecuted: true,
      unanswered: true,
      retryable: true,
    };
  }
  const code = codeOf(error);
  if (isNoTls(code)) {
    return {
      failure: connectionFailure(
        ExitCode.General,
        'no_tls',
        'The service does not speak TLS',
        `${host} does not speak TLS at that port (${code})`,
        'if the service runs without TLS, use http:// instead of https://',
      ),
      maybeExecuted: false,
      unanswered: false,
      retryable: false,
    };
  }
  if (isCertificateCode(code)) {
    return {
      failure: connectionFailure(
        ExitCode.General,
        'certificate_not_trusted',
        'The certificate is not trusted',
        `the certificate of ${host} is not trusted (${code})`,
        'to trust a certificate authority of your own: NODE_EXTRA_CA_CERTS=FILE ledgerhouse …',
      ),
      maybeExecuted: false,
      unanswered: false,
      retryable: false,
    };
  }
  const connected = !neverConnected.has(code);
  const said = connected
    ? `the connection to ${host} broke before the answer was complete (${code})`
    : `${host} cannot be reached (${code})`;
  return {
    failure: connectionFailure(
      ExitCode.General,
      connected ? 'connection_lost' : 'connection_failed',
      connected ? 'The connection broke' : 'The service cannot be reached',
      said,
      ...(connected ? [] : ['check the base URL: --base-url, LEDGERHOUSE_BASE_URL or the profile']),
    ),
    maybeExecuted: connected,
    unanswered: connected,
    retryable: true,
  };
}

function codeOf(error: unknown): string {
  let said = 'unknown reason';
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    said = at.message;
  }
  return said;
}

const isCertificateCode = (code: string): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS|ERR_SSL/.test(code);

const connectionFailure = (
  exitCode: ExitCode,
  code: string,
  title: string,
  detail: string,
  ...nextSteps: readonly string[]
): CliFailure => new CliFailure({ exitCode, code, title, detail, nextSteps });
