// npm run admin -- …: the operators' command line.
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runAdmin } from './run.ts';

/** A reader that closes the pipe early, as in `npm run admin -- … | head -1`, does not fail the command. */
function allowClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// For a start within a second: what was compiled once is kept, and nothing of Prisma's query compiler is optimized.
enableCompileCache();
setFlagsFromString('--liftoff-only');
allowClosedPipe(process.stdout);
allowClosedPipe(process.stderr);
process.exitCode = await runAdmin(process.argv.slice(2), {
  env: process.env,
  now: Date.now,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
