import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const schema = z.object({
  baseUrl: z.string(),
  business: z.object({ id: z.number(), uniqueId: z.string(), username: z.string() }),
  secretKey: z.string(),
  restrictedKey: z.string(),
  expiredKey: z.string(),
  /** An owner of the business. */
  login: z.object({ email: z.string(), password: z.string() }),
  /** Belongs to another business. */
  application: z.object({
    clientId: z.string(),
    clientSecret: z.string(),
    redirectUri: z.string(),
    scopes: z.array(z.string()).readonly(),
  }),
});

/** LOCAL_DIR/demo.json: the demo business, its keys and its login, and the demo application. */
export type DemoFile = z.output<typeof schema>;

const partial = schema.partial();
/** What is there of it after a start that was cut off, or was one of an earlier version. */
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
