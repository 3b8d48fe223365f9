/*
 * Loaded into a service with `--import`: its wall clock is wrong by CLOCK_SHIFT_MS, and by as much again after each
 * SIGUSR2. Monotonic clocks and timers stay as they are, as with a machine whose time is set wrong.
 */

const RealDate = Date;
const stepMs = Number(process.env.CLOCK_SHIFT_MS);
let shiftMs = stepMs;
process.on('SIGUSR2', () => {
  shiftMs += stepMs;
});

const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
