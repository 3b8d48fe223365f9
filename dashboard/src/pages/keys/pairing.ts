/*
 * Hands a new key to a program on this machine that asked for it, packages/cli/src/pairing.ts: sealed for the public key of its link,
 * and in the fragment of an address on the loopback interface, so that the history of the browser has nothing of use.
 */

const algorithm = { name: 'ECDH', namedCurve: 'P-256' } as const;

/** A program that waits for a key. */
export interface Pairing {
  readonly port: number;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

const nonceLength = 12;

const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

const textOf = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The program of the parameter `pair`; undefined for none, and where the browser cannot seal (http, except on loopback). */
export function readPairing(parameter: string | null): Pairing | undefined {
  const [, port = '', key = ''] = /^(\d{4,5})\.([\w-]{87})$/.exec(parameter ?? '') ?? [];
  if (key === '' || Number(port) > 65_535 || globalThis.crypto?.subtle === undefined) return undefined;
  return { port: Number(port), publicKey: bytesOf(key) };
}

/** The code that the program shows as well. */
export async function codeOf({ publicKey }: Pairing): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', publicKey)).subarray(0, 4);
  const hex = [...digest]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
  return `${hex.slice(0, 4)}-${hex.slice(4)}`;
}

/** Address at which the program takes the key. @throws for a public key that is none */
export async function addressFor({ port, publicKey }: Pairing, key: string): Promise<string> {
  const theirs = await crypto.subtle.importKey('raw', publicKey, algorithm, false, []);
  const own = await crypto.subtle.generateKey(algorithm, false, ['deriveKey']);
  const secret = await crypto.subtle.deriveKey(
    { name: 'ECDH', public: theirs },
    own.privateKey,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt'],
  );
  const iv = crypto.getRandomValues(new Uint8Array(nonceLength));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, secret, new TextEncoder().encode(key));
  const ownKey = await crypto.subtle.exportKey('raw', own.publicKey);
  const message = [new Uint8Array(ownKey), iv, new Uint8Array(sealed)].flatMap((part) => [...part]);
  return `http://127.0.0.1:${port}/#${textOf(Uint8Array.from(message))}`;
}
