import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

/** A control group that holds one process. */
export interface CpuLimit {
  /** Removes the group; the process must have ended. */
  remove(): void;
}

const root = '/sys/fs/cgroup';
const periodUs = 100_000;

/** Whether this user may make control groups here. */
export function canLimitCpu(): boolean {
  try {
    limitCpu(undefined, 1).remove();
    return true;
  } catch {
    return false;
  }
}

/** Limits a process to a part of one core. @throws where control groups (version 1 or 2) cannot be made */
export function limitCpu(pid: number | undefined, share: number): CpuLimit {
  const isFirstVersion = existsSync(`${root}/cpu/cpu.cfs_quota_us`);
  const group = `${root}${isFirstVersion ? '/cpu' : ''}/bench-${process.pid}`;
  const quotaUs = Math.round(share * periodUs);
  mkdirSync(group, { recursive: true });
  if (isFirstVersion) writeFileSync(`${group}/cpu.cfs_quota_us`, String(quotaUs));
  else writeFileSync(`${group}/cpu.max`, `${quotaUs} ${periodUs}`);
  if (pid !== undefined) writeFileSync(`${group}/cgroup.procs`, String(pid));
  return { remove: () => rmdirSync(group) };
}
