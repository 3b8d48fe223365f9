import { fileURLToPath } from 'node:url';
import { type GrpcObject, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Loads .proto files with the options that the generated types were made for; together, as they share imports. */
export function loadProtos(...files: readonly string[]): GrpcObject {
  const definition = loadSync([...files], {
    includeDirs: [root],
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  return loadPackageDefinition(definition);
}
