import type { ApiKey } from './api-key.ts';
import type { ApiKeyReference } from './api-key-reference.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { keyNotFound } from './key-not-found.ts';

/** Reads one key of a business. @throws AppError not_found */
export async function getApiKey(
  { keys }: { readonly keys: ApiKeyStore },
  { businessId, apiKeyId }: ApiKeyReference,
): Promise<ApiKey> {
  const key = await keys.find(businessId, apiKeyId);
  if (key === undefined) throw keyNotFound();
  return key;
}
