import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { LocalDirectory } from '../start/directory.ts';
import { writePrivateFile } from '../start/private-file.ts';
import { StartError } from '../start/start-error.ts';
import { generateSecrets, type PlatformSecrets } from './generate-secrets.ts';

const schema = z.object({
  databasePassword: z.string(),
  redisPassword: z.string(),
  keyPepper: z.string(),
  passportPrivateKey: z.string(),
  passportPublicKey: z.string(),
  // Directories of earlier versions do without.
  credentialTagKey: z.string().exactOptional(),
  gatewaySecret: z.string().exactOptional(),
  sessionSecret: z.string().exactOptional(),
  encryptionKey: z.string().exactOptional(),
});

/** The secrets of this directory: made at the first start, kept from then on. @throws StartError when they are lost */
export function loadSecrets({ root, secretsFile, postgres }: LocalDirectory): PlatformSecrets {
  if (existsSync(secretsFile)) {
    const secrets = { ...generateSecrets(), ...readSecrets(secretsFile, root) };
    writePrivateFile(secretsFile, secrets);
    return secrets;
  }
  if (existsSync(join(postgres, 'PG_VERSION'))) {
    throw new StartError(
      `${secretsFile} is gone, and the data needs it: put it back, or remove ${root} to begin anew.`,
    );
  }
  const secrets = generateSecrets();
  writePrivateFile(secretsFile, secrets);
  return secrets;
}

function readSecrets(file: string, root: string): z.output<typeof schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new StartError(`${file} cannot be read: repair it, or remove ${root} to begin anew.`, { cause });
  }
}
