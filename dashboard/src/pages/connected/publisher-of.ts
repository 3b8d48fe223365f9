import type { ConnectedApp } from './connections.ts';

/** Who is behind an app, in words. */
export function publisherOf({ publisher }: Pick<ConnectedApp, 'publisher'>): string {
  return publisher === null ? 'Publisher not known now' : `By ${publisher.name} (@${publisher.username})`;
}
