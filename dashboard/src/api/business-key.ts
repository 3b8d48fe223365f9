/**
 * Key of a query about a business: `businessKey(id, 'api-keys', keyId)`. A change invalidates by the same beginning:
 * `queryClient.invalidateQueries({ queryKey: businessKey(id, 'api-keys') })`.
 */
export function businessKey(businessId: string, ...parts: readonly unknown[]): readonly unknown[] {
  return ['business', businessId, ...parts];
}
