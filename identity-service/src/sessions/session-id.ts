import { createHash, randomBytes } from 'node:crypto';

/** A new id: 192 random bits. */
export function newSessionId(): string {
  return randomBytes(24).toString('base64url');
}

/** What is stored of an id. An id is too random to be guessed from its hash, so no pepper is needed. */
export function hashSessionId(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

/** The name of a session in lists: its hash, which opens nothing. */
export function sessionReference(id: string): string {
  return hashSessionId(id).toString('hex');
}
