import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { measuredCore } from './pin.ts';
import { cpuMsOf } from './process-usage.ts';

/** Milliseconds of a tick of /proc/stat. */
const tickMs = 10;

/** Time of a core since the start of the machine, in milliseconds. */
interface CoreTimes {
  /** Without interrupts, most of which are of the connections of who is measured. */
  readonly busy: number;
  /** Taken by the host of a virtual machine. */
  readonly stolen: number;
}

/** @param core its number; empty for all of them together */
function timesOf(core: string): CoreTimes {
  const line = new RegExp(`^cpu${core} +(.*)$`, 'm').exec(readFileSync('/proc/stat', 'utf8'))?.[1];
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = line?.split(' ').map(Number) ?? [];
  return { busy: (user + nice + system) * tickMs, stolen: stolen * tickMs };
}

/** Use of the processor during a measurement. */
interface Used<T> {
  readonly result: T;
  /** Milliseconds of CPU, in user and kernel. */
  readonly cpuMs: number;
  /** Share of its core that others took meanwhile: the host, and processes beside it. 0 where it has no core to itself. */
  readonly disturbed: number;
}

/** Measures what a process, and others on its core, use while `run` runs. */
export async function usedDuring<T>(pid: number, run: () => Promise<T>): Promise<Used<T>> {
  const at = performance.now();
  const [before, cpuBefore] = [timesOf(measuredCore ?? ''), cpuMsOf(pid)];
  const result = await run();
  const after = timesOf(measuredCore ?? '');
  const cpuMs = cpuMsOf(pid) - cpuBefore;
  const others = Math.max(0, after.busy - before.busy - cpuMs) + after.stolen - before.stolen;
  return { result, cpuMs, disturbed: measuredCore === undefined ? 0 : others / (performance.now() - at) };
}

const calibrated = randomBytes(1_024 * 1_024);

/** Milliseconds of a fixed piece of work. */
function calibrate(): number {
  const at = performance.now();
  for (let i = 0; i < 20; i++) createHash('sha256').update(calibrated).digest();
  for (let i = 0, text = ''; i < 200_000; i++) text = `${text.length}${i}`;
  return performance.now() - at;
}

/** How late timers of a millisecond fire, in milliseconds. */
async function lateness(forMs: number): Promise<number[]> {
  const late: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    const at = performance.now();
    await delay(1);
    late.push(performance.now() - at - 1);
  }
  return late.toSorted((a, b) => a - b);
}

/** A line about the machine: figures of two machines, or of two moments, are comparable only where it is about the same. */
export async function describeMachine(): Promise<string> {
  const work = Array.from({ length: 7 }, calibrate).toSorted((a, b) => a - b);
  const at = performance.now();
  const before = timesOf('');
  const late = await lateness(2_000);
  const after = timesOf('');
  const percent = (ms: number) => `${((ms / (performance.now() - at)) * 100).toFixed(0)} %`;
  const ms = (value: number | undefined) => `${(value ?? Number.NaN).toFixed(1)} ms`;
  return [
    `the machine: ${ms(work[3])} for the calibrating work (${ms(work[0])} to ${ms(work[6])})`,
    `${percent(after.busy - before.busy)} of a core busy while idle, ${percent(after.stolen - before.stolen)} stolen`,
    `timers late by ${ms(late[Math.floor(late.length / 2)])}, p99 ${ms(late[Math.floor(late.length * 0.99)])}`,
  ].join('; ');
}
