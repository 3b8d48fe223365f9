import { existsSync, readFileSync } from 'node:fs';
import type { Client } from '@platform/service-kit/database/connection.ts';
import { z } from 'zod';
import type { Acts } from '../../../identity-service/src/acts.ts';

const schema = z.object({
  baseUrl: z.string(),
  business: z.object({ id: z.number(), uniqueId: z.string(), username: z.string() }),
  secretKey: z.string(),
  restrictedKey: z.string(),
  expiredKey: z.string(),
  /** An owner of the business; without a password that a person has changed. */
  login: z.object({ email: z.string(), password: z.string().optional() }),
  /** Belongs to another business. */
  application: z.object({
    clientId: z.string(),
    clientSecret: z.string(),
    redirectUri: z.string(),
    scopes: z.array(z.string()).readonly(),
  }),
});
const partial = schema.partial();

/** LOCAL_DIR/demo.json: the demo business, its keys and its login, and the demo application. */
export type DemoFile = z.output<typeof schema>;
/** The same after a start that was interrupted, or by an earlier version. */
export type PartialDemoFile = z.output<typeof partial>;
export type DemoBusiness = DemoFile['business'];
export type DemoLogin = DemoFile['login'];
export type DemoApplication = DemoFile['application'];

export interface SeedContext {
  /** For browsers. */
  readonly baseUrl: string;
  /** For programs on this machine. */
  readonly gatewayUrl: string;
  readonly identityGrpcTarget: string;
  /** Of identity-service, in this process. */
  readonly acts: Acts;
  readonly businessGrpcTarget: string;
  readonly webhookGrpcTarget: string;
  readonly identityDatabase: Client;
  readonly businessDatabase: Client;
  readonly mailDirectory: string;
  /** Of the demo application. */
  readonly redirectUri: string;
  /** Content of demo.json before this start. */
  readonly kept: PartialDemoFile;
  /** Adds values to demo.json, the only place where passwords, keys and secrets can be read. */
  readonly keep: (more: PartialDemoFile) => void;
}

/** A gRPC call of the seed. */
export const call = { deadlineMs: 10_000 };
export const actor = {
  kind: 'system',
  id: 'npm start',
  clientIp: undefined,
  requestId: 'npm-start',
} as const;
export const grpcOptions = (target: string) => ({ target, tls: { kind: 'plain' } }) as const;

/** Empty where there is no file, or an invalid one. */
export function readDemoFile(file: string): PartialDemoFile {
  if (!existsSync(file)) return {};
  try {
    return partial.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
