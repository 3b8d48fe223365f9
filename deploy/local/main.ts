// `npm start`: the whole platform on this machine, with its own PostgreSQL, demo data and a first request to paste.
import { ConfigError } from '@platform/service-kit/config.ts';
import { createProgress } from './show/progress.ts';
import { readSettings } from './start/settings.ts';
import { createShutdown } from './start/shutdown.ts';
import { StartError } from './start/start-error.ts';
import { startLocal } from './start/start-local.ts';

const progress = createProgress((text) => process.stdout.write(text));
const shutdown = createShutdown(progress.say);
// A reader that went away (`npm start | head`) is no reason to end.
process.stdout.on('error', () => undefined);

try {
  const settings = readSettings(process.env);
  progress.say(`Starting the Business API platform in ${settings.directoryName}\n`);
  await startLocal(settings, progress, shutdown);
} catch (error) {
  const expected = error instanceof StartError || error instanceof ConfigError;
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(expected ? `${text}\n` : `The platform did not start: ${text}\n`);
  await shutdown.end(1);
}
