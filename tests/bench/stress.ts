// `npm run bench -- stress`: a flood of guessed keys, and three times the load that identity-service can handle.
import { beginRun } from '../harness/run.ts';
import { measureFlood } from './flood.ts';
import { canLimitCpu } from './limit-cpu.ts';
import { measureOverload } from './overload.ts';
import { pin } from './pin.ts';
import { startScript } from './script.ts';
import { targetTable } from './table.ts';
import { floodTargetsOf, overloadTargetsOf } from './targets.ts';

const run = await beginRun();
const upstream = await startScript('tests/bench/upstream.ts');
try {
  pin('load', upstream.pid);
  pin('load', process.pid);
  process.stdout.write(`\n${targetTable(floodTargetsOf(await measureFlood(upstream.port)))}\n`);
  if (canLimitCpu()) {
    process.stdout.write(`\n${targetTable(overloadTargetsOf(await measureOverload(upstream.port)))}\n`);
  } else {
    process.stderr.write('Overload is not measured: that needs the right to make control groups.\n');
  }
} finally {
  upstream.stop();
  await run.end();
}
