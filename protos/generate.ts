// npm run generate: protos/generated/, from the .proto files. An argument is the directory to write to instead of the
// repository, as the test of the generators does.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protoFiles } from './src/proto-files.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const generator = fileURLToPath(new URL('../node_modules/.bin/proto-loader-gen-types', import.meta.url));

const outDir = join(process.argv[2] ?? join(root, '..'), 'protos/generated');
const options = [
  '--longs=Number',
  '--enums=String',
  '--defaults',
  '--oneofs',
  '--grpcLib=@grpc/grpc-js',
  // Relative, because each file names its source by it: the same wherever the repository lies.
  '--includeDirs=.',
  `--outDir=${outDir}`,
  '--importFileExtension=.ts',
  '--targetFileExtension=.ts',
];
// The generator leaves the files of messages that are gone.
rmSync(outDir, { recursive: true, force: true });
execFileSync(generator, [...options, ...protoFiles], { cwd: root, stdio: 'inherit' });
