export { type ApiResponse, Client, type ClientOptions, type Credential } from './client.ts';
export { Connection, MemoryTokenStore, type TokenStore } from './connection.ts';
export * from './errors.ts';
export { type EventStore, endOfFeed, Follower, type FollowOptions } from './follow.ts';
export { CallbackError, OAuth, type OAuthOptions, type PendingAuthorization, type Tokens } from './oauth.ts';
export type * from './operations.ts';
export type { Fetch, Patience } from './send.ts';
export { verifyWebhook, WebhookError, type WebhookOptions } from './webhooks.ts';
