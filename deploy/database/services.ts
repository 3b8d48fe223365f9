import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A service that owns a database. */
export interface DatabaseService {
  readonly name: string;
  /** Absolute path of its folder. */
  readonly root: string;
}

const root = resolve(import.meta.dirname, '../..');

/** The services of this repository that have a Prisma schema. */
export function databaseServices(): readonly DatabaseService[] {
  return ['identity-service', 'business-service', 'webhook-service']
    .map((name) => ({ name, root: join(root, name) }))
    .filter((service) => existsSync(join(service.root, 'prisma/schema.prisma')));
}
