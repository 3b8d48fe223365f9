import { fileURLToPath } from 'node:url';
import { type GrpcObject, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Loads one .proto file with the options that the generated types were made for. */
export function loadProto(file: string): GrpcObject {
  const definition = loadSync(file, {
    includeDirs: [root],
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  return loadPackageDefinition(definition);
}
