// npm run admin -- …: the platform's administration until there is a dashboard.
import { runAdmin } from './run-admin.ts';

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: process.env,
  now: Date.now,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
