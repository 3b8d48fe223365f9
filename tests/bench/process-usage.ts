import { readFileSync } from 'node:fs';

/** Milliseconds of a tick of /proc/<pid>/stat. */
const tickMs = 10;

/** Milliseconds of CPU that a process has used, in user and kernel. */
export function cpuMsOf(pid: number): number {
  // The name before it, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Most memory that a process has held since its start, in MB. */
export function peakRssOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

/** Memory that a process holds now, in MB. */
export function rssOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
