/** Checks that the mounted certificates are those the pod was made for. A kubelet may mount an older content of a Secret. */
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificatesForeign } from '../../domain/data-problem.ts';
import { wantedCertificatesVariable } from '../../domain/names.ts';
import type { Finding } from './examine.ts';

/** The expected certificates, as SHA-256 in hexadecimal. */
interface WantedCertificates {
  /** Hash of the file `ca.crt`. */
  readonly trusted: string;
  /** Hash of the authority (PEM) that signed `tls.crt`. */
  readonly authority: string;
}

/** Returns `undefined` if the operator that made the pod did not set the variable. */
export function wantedCertificates(
  // oxlint-disable-next-line node/no-process-env -- a flag would end an agent of an earlier version
  environment: NodeJS.ProcessEnv = process.env,
): WantedCertificates | undefined {
  const [, trusted, authority] =
    /^([0-9a-f]{64}):([0-9a-f]{64})$/.exec(environment[wantedCertificatesVariable] ?? '') ?? [];
  return trusted === undefined || authority === undefined ? undefined : { trusted, authority };
}

/** Returns what is wrong with the certificates in `folder`, or `undefined`. Rejects when they cannot be read. */
export async function examineCertificates(
  folder: string,
  wanted: WantedCertificates | undefined,
): Promise<Finding | undefined> {
  if (wanted === undefined) return undefined;
  const [bundle, certificate] = await Promise.all(
    ['ca.crt', 'tls.crt'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  const foreign = (what: string): Finding => ({
    reason: certificatesForeign,
    message: `${what} in ${folder}; a new pod gets the current content of its Secrets`,
  });
  if (bundle === undefined || sha256(bundle) !== wanted.trusted) {
    return foreign('ca.crt holds other authorities than those recorded in status.peerCertificates');
  }
  const authorities = bundle.match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n/g) ?? [];
  const authority = authorities.find((one) => sha256(one) === wanted.authority);
  if (authority === undefined || !isSignedBy(certificate ?? '', authority)) {
    return foreign(
      'tls.crt was issued by another authority than the one recorded in status.peerCertificates',
    );
  }
  return undefined;
}

function isSignedBy(certificate: string, authority: string): boolean {
  try {
    return new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey);
  } catch {
    // The file holds no certificate.
    return false;
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
