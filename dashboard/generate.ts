// npm run generate: types of the APIs of the pages, from the OpenAPI documents of identity-service.
// The optional argument is a directory to write to instead of the repository, as the test of the generators does.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOpenapiTypes } from './openapi-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const printer = join(root, 'identity-service/src/dashboard-operations.ts');
const directory = join(process.argv[2] ?? root, 'dashboard/src/generated');

for (const api of ['dashboard', 'operators']) {
  const document = execFileSync(process.execPath, [printer, api], { encoding: 'utf8' });
  await writeOpenapiTypes(document, join(directory, `${api}-api.d.ts`));
}
