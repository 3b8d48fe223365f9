import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A value of CBOR (RFC 8949) as authenticators write it. */
type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

function head(type: number, value: number): Buffer {
  if (value < 24) return Buffer.from([type | value]);
  if (value < 0x100) return Buffer.from([type | 24, value]);
  return Buffer.from([type | 25, value >> 8, value & 0xff]);
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(0x20, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(0x60, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(0x40, value.length), value]);
  return Buffer.concat([
    head(0xa0, value.size),
    ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)]),
  ]);
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest();

const base64url = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64url');

/** Flags of authenticator data (WebAuthn section 6.1). */
const flags = { present: 0x01, verified: 0x04, syncable: 0x08, synced: 0x10, withCredential: 0x40 };

/** Ways in which an authenticator or its page misbehaves. */
export interface Lie {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly isVerified?: boolean;
  readonly isPresent?: boolean;
  /** In a frame of another site. */
  readonly crossOrigin?: boolean;
  /** Signature counter, otherwise the next one. */
  readonly counter?: number;
  readonly userHandle?: string;
  /** Signs with another key. */
  readonly withOtherKey?: boolean;
}

export interface PasskeyCredential {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: Readonly<Record<string, unknown>>;
  readonly clientExtensionResults: object;
}

interface DeviceOptions {
  /** Origin of the page. */
  readonly origin: string;
  /** Whether it has no counter, like synced passkeys. */
  readonly isSynced?: boolean;
}

/** A person's authenticator with one passkey (ES256), and the browser around it. */
export interface PasskeyDevice {
  readonly credentialId: string;
  /** `navigator.credentials.create`. @param options PublicKeyCredentialCreationOptionsJSON */
  create(options: Readonly<Record<string, unknown>>, lie?: Lie): PasskeyCredential;
  /** `navigator.credentials.get`. @param options PublicKeyCredentialRequestOptionsJSON */
  get(options: Readonly<Record<string, unknown>>, lie?: Lie): PasskeyCredential;
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

export function createPasskeyDevice({ origin, isSynced = false }: DeviceOptions): PasskeyDevice {
  const id = randomBytes(32);
  const { privateKey, publicKey } = newKey();
  const host = new URL(origin).hostname;
  let count = 0;
  let handle: string | undefined;

  const authenticatorData = (lie: Lie, more: number, rest: Buffer) => {
    if (!isSynced) count++;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lie.counter ?? count);
    const state =
      more |
      (lie.isPresent === false ? 0 : flags.present) |
      (lie.isVerified === false ? 0 : flags.verified) |
      (isSynced ? flags.syncable | flags.synced : 0);
    return Buffer.concat([sha256(lie.rpId ?? host), Buffer.from([state]), counter, rest]);
  };
  const clientData = (type: string, options: Readonly<Record<string, unknown>>, lie: Lie) =>
    Buffer.from(
      JSON.stringify({
        type: lie.type ?? type,
        challenge: lie.challenge ?? options.challenge,
        origin: lie.origin ?? origin,
        crossOrigin: lie.crossOrigin ?? false,
      }),
    );
  const credentialOf = (response: PasskeyCredential['response']): PasskeyCredential => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    response,
    clientExtensionResults: {},
  });
  const coseKey = () => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const part = (text: string) => Buffer.from(text, 'base64url');
    const fields: [number, Cbor][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, part(x)],
      [-3, part(y)],
    ];
    return cbor(new Map(fields));
  };

  return {
    credentialId: base64url(id),
    create: (options, lie = {}) => {
      const { user } = options as { user?: { id: string } };
      handle = user?.id;
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey()]);
      const authData = authenticatorData(lie, flags.withCredential, attested);
      const fields: [string, Cbor][] = [
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ];
      return credentialOf({
        clientDataJSON: base64url(clientData('webauthn.create', options, lie)),
        attestationObject: base64url(cbor(new Map(fields))),
        transports: ['internal', 'hybrid'],
      });
    },
    get: (options, lie = {}) => {
      const client = clientData('webauthn.get', options, lie);
      const data = authenticatorData(lie, 0, Buffer.alloc(0));
      const key = lie.withOtherKey ? newKey().privateKey : privateKey;
      return credentialOf({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), key)),
        userHandle: lie.userHandle ?? handle,
      });
    },
  };
}
