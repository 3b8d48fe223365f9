import { createHash } from 'node:crypto';

/**
 * The key of a rule and whom it is about. Subjects are hashed: the table is no list of mail addresses, and no input
 * makes a key long.
 */
export function throttleKey(rule: string, ...subjects: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(subjects)).digest('base64url');
  return `${rule}:${digest}`;
}
