// npm run generate: types of the API, from the OpenAPI document of the documentation.
// The optional argument is a directory to write to instead of the repository, as the test of the generators does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOpenapiTypes } from '../../dashboard/openapi-types.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const document = readFileSync(join(root, 'api/platform.yaml'), 'utf8');
await writeOpenapiTypes(document, join(process.argv[2] ?? root, 'packages/client/src/generated/api.ts'));
