// Writes protos/generated/ from the .proto files: `npm run generate`.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { protoFiles } from './src/proto-files.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const generator = fileURLToPath(new URL('../node_modules/.bin/proto-loader-gen-types', import.meta.url));

const outDir = process.argv[2] ?? `${root}generated`;
const options = [
  '--longs=Number',
  '--enums=String',
  '--defaults',
  '--oneofs',
  '--grpcLib=@grpc/grpc-js',
  `--includeDirs=${root}`,
  `--outDir=${outDir}`,
  '--importFileExtension=.ts',
  '--targetFileExtension=.ts',
];
execFileSync(generator, [...options, ...protoFiles], { cwd: root, stdio: 'inherit' });
