import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { badPassports, makePassportKey, signPassport } from '../harness/passports.ts';

/** The verifier in Python of examples/own-api; that in TypeScript has its test beside it. */

const folder = fileURLToPath(new URL('../../examples/own-api', import.meta.url));

/** Verifies each line of the standard input, and writes the claims as a line. */
const program = `
import json, sys
from passport import PassportVerifier
verifier = PassportVerifier(sys.argv[1], "invoices")
for line in sys.stdin:
    print(json.dumps(verifier.verify(line.rstrip("\\n"))))
`;

test('the verifier in Python accepts what identity-service signs for its upstream, and nothing else', async () => {
  const key = await makePassportKey();
  const bad = await badPassports(key);
  const server = createServer((_req, res) => res.end(JSON.stringify({ keys: [key.published] })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/passport-keys`;
  const child = spawn(process.env.PYTHON ?? 'python3', ['-B', '-c', program, url], { cwd: folder });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  child.stdin.end([await signPassport(key), ...Object.values(bad)].map((token) => `${token}\n`).join(''));
  const [first, ...others] = (await output).trim().split('\n');
  server.close();
  expect(await errors).toBe('');
  expect(JSON.parse(first ?? '')).toMatchObject({ business_id: 7, scope: 'invoices:read', sub: 'key_1' });
  expect(others.map((line, index) => [Object.keys(bad)[index], line])).toEqual(
    Object.keys(bad).map((what) => [what, 'null']),
  );
});
