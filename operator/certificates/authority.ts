/** A certificate authority in memory, which signs and is forgotten (RFC 5280; P-256 keys, as etcd and TLS 1.3 support them). */
import { randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Integer, BitString, OctetString, Utf8String, type BaseBlock } from 'asn1js';
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
  Time,
  TimeType,
} from 'pkijs';

/** A certificate and its key, both PEM; the key is PKCS #8. */
interface Identity {
  readonly certificate: string;
  readonly key: string;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface Authority {
  /** The authority's certificate, PEM. */
  readonly certificate: string;
  /** Signs a certificate for both ends of a connection, since servers also connect. `hosts`: its names and addresses. */
  sign(commonName: string, hosts: readonly string[]): Promise<Identity>;
}

export async function createAuthority(name: string, validity: Validity): Promise<Authority> {
  const { publicKey, privateKey } = await newKeys();
  const issued = { issuer: name, signedWith: privateKey, ...validity };
  const extensions = [
    extension(oid.basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
    // keyCertSign alone
    extension(oid.keyUsage, bits(0b0000_0100, 2)),
  ];
  return {
    certificate: await certificate({ ...issued, subject: name, publicKey, extensions }),
    async sign(commonName, hosts) {
      const own = await newKeys();
      const signed = await certificate({
        ...issued,
        subject: commonName,
        publicKey: own.publicKey,
        extensions: [
          extension(oid.basicConstraints, new BasicConstraints({ cA: false })),
          // digitalSignature alone
          extension(oid.keyUsage, bits(0b1000_0000, 7)),
          extension(oid.extKeyUsage, new ExtKeyUsage({ keyPurposes: [oid.server, oid.client] })),
          extension(oid.subjectAltName, new GeneralNames({ names: hosts.map(hostName) })),
        ],
      });
      return { certificate: signed, key: await pemOfKey(own.privateKey) };
    },
  };
}

type Key = webcrypto.CryptoKey;

/** Object identifiers, RFC 5280, 4.2.1. */
const oid = {
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extKeyUsage: '2.5.29.37',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
} as const;
const critical = new Set<string>([oid.basicConstraints, oid.keyUsage]);

const newKeys = () =>
  webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);

interface Wanted extends Validity {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: Key;
  readonly signedWith: Key;
  readonly extensions: readonly Extension[];
}

/** Returns a certificate in PEM. */
async function certificate(wanted: Wanted): Promise<string> {
  const made = new Certificate();
  // X.509 v3
  made.version = 2;
  made.serialNumber = new Integer({ valueHex: serialNumber() });
  made.subject.typesAndValues.push(commonName(wanted.subject));
  made.issuer.typesAndValues.push(commonName(wanted.issuer));
  made.notBefore = timeOf(wanted.notBefore);
  made.notAfter = timeOf(wanted.notAfter);
  await made.subjectPublicKeyInfo.importKey(wanted.publicKey);
  made.extensions = [...wanted.extensions];
  await made.sign(wanted.signedWith, 'SHA-256');
  // Parsed once more by another library before anybody relies on it.
  return new X509Certificate(Buffer.from(made.toSchema(true).toBER())).toString();
}

/** Returns a serial number: 16 random bytes, positive and without a leading zero. */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(randomBytes(16));
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.buffer;
}

/** Encodes a time: UTCTime through 2049, GeneralizedTime from then on (RFC 5280, 4.1.2.5). */
const timeOf = (value: Date) =>
  new Time({
    type: value.getUTCFullYear() < 2050 ? TimeType.UTCTime : TimeType.GeneralizedTime,
    value,
  });

const commonName = (value: string) =>
  new AttributeTypeAndValue({ type: oid.commonName, value: new Utf8String({ value }) });

function extension(extnID: string, value: BaseBlock | { toSchema(): BaseBlock }): Extension {
  const block = 'toSchema' in value ? value.toSchema() : value;
  return new Extension({ extnID, critical: critical.has(extnID), extnValue: block.toBER() });
}

const bits = (value: number, unusedBits: number) =>
  new BitString({ valueHex: new Uint8Array([value]).buffer, unusedBits });

/** Encodes a GeneralName: [2] dNSName, [7] iPAddress. */
function hostName(host: string): GeneralName {
  const address = addressBytes(host);
  return address === undefined
    ? new GeneralName({ type: 2, value: host })
    : new GeneralName({ type: 7, value: new OctetString({ valueHex: address }) });
}

/** Bytes of an IP address, in network order; `undefined` if it is none. */
function addressBytes(host: string): ArrayBuffer | undefined {
  if (isIPv4(host)) return new Uint8Array(host.split('.').map(Number)).buffer;
  if (!isIPv6(host)) return undefined;
  // The URL parser writes an address in only one form, in which `::` stands for the omitted groups.
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':'));
  const before = words(head);
  const after = words(tail ?? '');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const all = [...before, ...zeros, ...after].map((word) => Number.parseInt(word, 16));
  return new Uint8Array(all.flatMap((word) => [word >> 8, word & 0xff])).buffer;
}

async function pemOfKey(key: Key): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  const lines = bytes.match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
