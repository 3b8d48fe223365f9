import { renameSync, writeFileSync } from 'node:fs';

/** Writes JSON that its owner alone may read. Readers see the old text or the new one, never a part. */
export function writePrivateFile(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
