/** Names one key of one business. */
export interface ApiKeyReference {
  readonly businessId: number;
  readonly apiKeyId: string;
}
