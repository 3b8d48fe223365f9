import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { runDirectory } from './run-directory.ts';

/*
 * X.509 certificates for tests, written as DER (RFC 5280): Node cannot create certificates, and not every machine
 * has the openssl program.
 */

/** A certificate with its key and its authority, in PEM. */
export interface Certificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Variables with which a service uses it for mutual TLS. */
  readonly env: Readonly<Record<'GRPC_TLS' | 'GRPC_TLS_CA' | 'GRPC_TLS_CERT' | 'GRPC_TLS_KEY', string>>;
}

/** A certificate authority. */
export interface Authority {
  /** Signs a certificate for host names and IP addresses. It expires `seconds` from now, or in the past if negative. */
  issue(names: readonly string[], seconds?: number): Certificate;
  /** Signs one outside a run, without files. */
  sign(names: readonly string[], seconds?: number): Omit<Certificate, 'env'>;
}

/** Names by which the services know each other's certificates. */
export const serviceNames = ['gateway', 'identity-service', 'business-service', 'webhook-service'] as const;

const daySeconds = 86_400;

export function createAuthority(): Authority {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = commonName(`authority ${randomBytes(4).toString('hex')}`);
  const isAuthority = extension(0x13, true, sequence(tlv(0x01, Buffer.of(0xff))));
  const ca = pem('CERTIFICATE', certificate(pair, issuer, pair.publicKey, issuer, isAuthority, daySeconds));
  const signCertificate = (names: readonly string[], seconds = daySeconds) => {
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const alternatives = extension(0x11, false, sequence(...names.map(alternativeName)));
    const subject = commonName(names[0] ?? '');
    const der = certificate(pair, issuer, own.publicKey, subject, alternatives, seconds);
    const key = createPrivateKey(own.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    return {
      ca,
      cert: pem('CERTIFICATE', der),
      key: `${key.export({ type: 'pkcs8', format: 'pem' })}`,
    };
  };
  return {
    sign: signCertificate,
    issue: (names, seconds) => written(signCertificate(names, seconds)),
  };
}

function written({ ca, cert, key }: Omit<Certificate, 'env'>): Certificate {
  const directory = runDirectory().newDirectory('tls');
  const file = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const env = {
    GRPC_TLS: 'mutual',
    GRPC_TLS_CA: file('ca.pem', ca),
    GRPC_TLS_CERT: file('cert.pem', cert),
    GRPC_TLS_KEY: file('key.pem', key),
  };
  return { ca, cert, key, env };
}

function certificate(
  signer: { readonly privateKey: KeyObject },
  issuer: Buffer,
  publicKey: KeyObject,
  subject: Buffer,
  extension_: Buffer,
  seconds: number,
): Buffer {
  const now = Date.now();
  const begin = Math.min(now, now + seconds * 1000) - daySeconds * 1000;
  const signed = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    issuer,
    sequence(time(begin), time(now + seconds * 1000)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(extension_)),
  );
  return sequence(signed, ecdsaWithSha256, bitString(sign('sha256', signed, signer.privateKey)));
}

/** Tag, length, value (X.690). */
function tlv(tag: number, ...values: Buffer[]): Buffer {
  const value = Buffer.concat(values);
  const { length } = value;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), value]);
}

const sequence = (...values: Buffer[]) => tlv(0x30, ...values);
const objectId = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const bitString = (bytes: Buffer) => tlv(0x03, Buffer.of(0), bytes);
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = (name: string) =>
  sequence(tlv(0x31, sequence(objectId('550403'), tlv(0x0c, Buffer.from(name)))));
/** GeneralizedTime, to the second. */
const time = (ms: number) =>
  tlv(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
const pem = (kind: string, der: Buffer) =>
  `-----BEGIN ${kind}-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${kind}-----\n`;

/** An extension of 2.5.29. */
function extension(id: number, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [tlv(0x01, Buffer.of(0xff))] : [];
  return sequence(objectId(`551d${id.toString(16)}`), ...flag, tlv(0x04, value));
}

function alternativeName(name: string): Buffer {
  if (isIPv4(name)) return tlv(0x87, Buffer.from(name.split('.').map(Number)));
  if (isIPv6(name)) return tlv(0x87, ipv6Bytes(name));
  return tlv(0x82, Buffer.from(name));
}

function ipv6Bytes(address: string): Buffer {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
