/** The certificates of a local cluster: one CA, created once, and the certificates that it signs. Elliptic keys keep it fast. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Subject {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly hosts?: readonly string[];
}

export class Pki {
  readonly folder: string;
  readonly ca: Certificate;
  /** Key pair that signs and verifies service account tokens. */
  readonly serviceAccountKey: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.folder = folder;
    this.ca = { cert: join(folder, 'ca.crt'), key: join(folder, 'ca.key') };
    this.serviceAccountKey = join(folder, 'service-account.key');
  }

  async init(): Promise<void> {
    if (!existsSync(this.serviceAccountKey)) await newKey(this.serviceAccountKey);
    if (existsSync(this.ca.cert)) return;
    await newKey(this.ca.key);
    const subject = '/CN=ledgerhouse-local';
    const how = ['-x509', '-new', '-key', this.ca.key, '-days', '3650', '-subj', subject];
    // Written in one step when complete: a partial certificate would never be made again.
    writeFileSync(this.ca.cert, await run('openssl', ['req', ...how]));
  }

  /** Certificates that are being signed, by file: nodes that start at the same time share some. */
  readonly #signing = new Map<string, Promise<Certificate>>();

  /**
   * Returns a certificate for a client (`user` in `groups`) or, if it has names or addresses, a server. Made once for each file
   * name.
   */
  sign(file: string, subject: Subject): Promise<Certificate> {
    const signing = this.#signing.get(file) ?? this.#sign(file, subject);
    this.#signing.set(file, signing);
    return signing;
  }

  async #sign(file: string, subject: Subject): Promise<Certificate> {
    const path = (suffix: string) => join(this.folder, `${file}.${suffix}`);
    const certificate = { cert: path('crt'), key: path('key') };
    if (existsSync(certificate.cert)) return certificate;
    await newKey(certificate.key);
    const groups = (subject.groups ?? []).map((group) => `/O=${group}`).join('');
    const request = await run('openssl', [
      'req',
      '-new',
      '-key',
      certificate.key,
      '-subj',
      `${groups}/CN=${subject.user}`,
    ]);
    const hosts = (subject.hosts ?? []).map((host) =>
      /^[0-9.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`,
    );
    writeFileSync(
      path('ext'),
      [
        'extendedKeyUsage=clientAuth,serverAuth',
        ...(hosts.length > 0 ? [`subjectAltName=${hosts.join(',')}`] : []),
      ].join('\n'),
    );
    const signed = await run(
      'openssl',
      [
        'x509',
        '-req',
        '-CA',
        this.ca.cert,
        '-CAkey',
        this.ca.key,
        '-days',
        '3650',
        '-extfile',
        path('ext'),
      ],
      { input: request },
    );
    writeFileSync(certificate.cert, signed);
    return certificate;
  }
}

async function newKey(path: string): Promise<void> {
  // The older "EC PRIVATE KEY" form: the API server cannot read a service account key in the newer one.
  const key = await run('openssl', ['ecparam', '-genkey', '-noout', '-name', 'prime256v1']);
  writeFileSync(path, key, { mode: 0o600 });
}
