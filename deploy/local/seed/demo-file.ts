import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const schema = z.object({
  baseUrl: z.string(),
  business: z.object({ id: z.number(), uniqueId: z.string(), username: z.string() }),
  secretKey: z.string(),
  restrictedKey: z.string(),
  expiredKey: z.string(),
});

/** LOCAL_DIR/demo.json: the demo business and its keys. */
export type DemoFile = z.output<typeof schema>;

const partial = schema.partial();
/** What is there of it after a start that was cut off. */
export type PartialDemoFile = z.output<typeof partial>;

/** What the file holds; nothing when there is none, or one that cannot be read. */
export function readDemoFile(file: string): PartialDemoFile {
  if (!existsSync(file)) return {};
  try {
    return partial.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
