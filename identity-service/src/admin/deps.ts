import type { Acts } from '../acts.ts';
import { createApiKeyStore } from '../credentials/api-keys/store.ts';
import { createApplicationStore } from '../credentials/applications/store.ts';
import { createGrantStore } from '../credentials/grants/store.ts';

/** Of the operations on API keys. */
export const keyDeps = ({ database, prisma, hasher, propagate, businesses }: Acts) => ({
  keys: createApiKeyStore(database, prisma),
  hasher,
  propagate,
  businessExists: businesses.exists,
});

/** Of the operations on applications, and of bans of their publishers. */
export const applicationDeps = ({ database, prisma, hasher, propagate, businesses }: Acts) => ({
  applications: createApplicationStore(database, prisma),
  hasher,
  propagate,
  findBusiness: businesses.find,
  findBanned: businesses.findBanned,
  setBan: businesses.setBan,
});

/** Of the operations on Grants. */
export const grantDeps = ({ database, prisma, propagate }: Acts) => ({
  grants: createGrantStore(database, prisma),
  propagate,
});
