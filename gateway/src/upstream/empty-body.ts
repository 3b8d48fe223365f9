import { Stream } from 'node:stream';

/** The body of a request that has none: ends its destination at once, where piping the request would cost a turn. */
class EmptyBody extends Stream {
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    destination.end();
    return destination;
  }
}

export const emptyBody = new EmptyBody();
