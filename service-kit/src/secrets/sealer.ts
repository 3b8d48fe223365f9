import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

/** Encrypts values that must be read back, such as the secret of a second factor (AES-256-GCM). */
export interface Sealer {
  /**
   * Seals text under the current key.
   * @param context owner of the text, such as `totp:per_1`; the text cannot be decrypted in any other context
   */
  seal(text: string, context: string): Buffer<ArrayBuffer>;
  /** The text; undefined when no key opens it, or it was sealed for another context. */
  open(sealed: Uint8Array, context: string): string | undefined;
  /** Whether the current key decrypts it. Otherwise it is lost when the retired key is dropped. */
  isCurrent(sealed: Uint8Array, context: string): boolean;
}

const algorithm = 'aes-256-gcm';

const ivLength = 12;

const tagLength = 16;

/** @param keys current first, then the retired ones that still open */
export function createSealer(keys: readonly [KeyObject, ...KeyObject[]]): Sealer {
  return {
    seal: (text, context) => {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv(algorithm, keys[0], iv).setAAD(Buffer.from(context));
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), hidden]);
    },
    open: (sealed, context) => {
      for (const key of keys) {
        const text = openWith(key, sealed, context);
        if (text !== undefined) return text;
      }
      return undefined;
    },
    isCurrent: (sealed, context) => openWith(keys[0], sealed, context) !== undefined,
  };
}

function openWith(key: KeyObject, sealed: Uint8Array, context: string): string | undefined {
  const hidden = sealed.subarray(ivLength + tagLength);
  try {
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivLength), {
      authTagLength: tagLength,
    });
    decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
    return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8');
  } catch {
    // A different key or context, or altered data: GCM cannot distinguish them.
    return undefined;
  }
}
