// npm run build: the documentation, when its sources have changed since the last build.
import { ensureDocsBuilt } from './build/ensure-built.ts';

const { built } = ensureDocsBuilt();
process.stdout.write(`The documentation is ${built ? 'built' : 'up to date'}.\n`);
