import { Socket } from 'node:net';

/** A socket that closes when a listener of `data` throws. */
class GuardedSocket extends Socket {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...args);
    try {
      return super.emit(event, ...args);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
      return true;
    }
  }
}

/**
 * `stream` of a pg client, whose parser throws at a malformed message. This socket closes the connection instead of ending
 * the process. With TLS pg reads from another socket, which rejects altered data.
 */
export const openGuardedSocket = (): Socket => new GuardedSocket();
