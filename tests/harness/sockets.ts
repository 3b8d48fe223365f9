import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const listening = '0A';

/** Open connections of a process on the loopback address with this port on either side (Linux). */
export function connectionsOf(pid: number, port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const line of readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)) {
    const [, local, remote, state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const concerns = local?.endsWith(suffix) === true || remote?.endsWith(suffix) === true;
    if (concerns && state !== listening) inodes.add(`socket:[${inode}]`);
  }
  return descriptorsOf(pid).filter((target) => inodes.has(target)).length;
}

function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}
