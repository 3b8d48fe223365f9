import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { authorizeApplication, oauthClient } from '../oauth.ts';
import { signUp, signUpVerified, type TestPerson } from '../people.ts';
import type { Platform } from '../platform.ts';

/** An owner with one of everything that the dashboard knows. */
export interface Victim {
  readonly person: TestPerson;
  readonly businessId: number;
  /** Identifier of the object that a path's parameter stands for. @throws when there is none of that kind */
  identifier(parameter: string): string;
  /** Everything that is stored of the business and its people, to see that nothing has changed. */
  state(): Promise<unknown>;
}

/** Tables with what must not change, and how their rows are found. */
const tables: Readonly<Record<string, string>> = {
  api_keys: 'business_id = $1',
  applications: 'business_id = $1',
  client_secrets: 'application_id IN (SELECT id FROM applications WHERE business_id = $1)',
  grants: 'business_id = $1',
  memberships: 'business_id = $1',
  member_key_rules: 'business_id = $1',
  key_lifetime_rules: 'business_id = $1',
  invitations: 'business_id = $1',
  business_freezes: 'business_id = $1',
  leak_policies: 'business_id = $1',
  limit_requests: 'business_id = $1',
  logos: 'business_id = $1',
  audit_events: 'business_id = $1',
  second_factor_requirements: 'business_id = $1',
  passkeys: 'person_id IN (SELECT person_id FROM memberships WHERE business_id = $1)',
  people: 'id IN (SELECT person_id FROM memberships WHERE business_id = $1)',
};

export async function makeVictim(platform: Platform): Promise<Victim> {
  const person = await signUpVerified(platform);
  const { businessId } = person;
  const sql = <Row extends Record<string, unknown>>(text: string, values: unknown[] = [businessId]) =>
    platform.sql<Row>(text, values);
  const [key, application, teammate] = await Promise.all([
    platform.createKey({ businessId, type: 'restricted', scopes: ['orders:read'] }),
    platform.createApplication({ businessId }),
    signUp(platform),
  ]);
  const { code, verifier } = await authorizeApplication(person.browser, application);
  await oauthClient(platform, application).exchange(code, verifier);
  await sql("INSERT INTO memberships (person_id, business_id, role) VALUES ($2, $1, 'developer')", [
    businessId,
    teammate.id,
  ]);
  const requestId = randomUUID();
  const invitationId = `inv_${requestId}`;
  await sql(
    `INSERT INTO request_log
       (id, at, business_id, method, path, route, status, client_ip, duration_ms, response_bytes, user_agent)
     VALUES ($2, clock_timestamp(), $1, 'GET', '/v2/order', '/v2/order', 404, '192.0.2.1', 5, 40, '')`,
    [businessId, requestId],
  );
  await sql(
    `INSERT INTO invitations (id, token_hash, business_id, email, role, invited_by, expires_at)
     VALUES ($3, decode(md5($3::text), 'hex'), $1, 'invited@people.test', 'developer', $2, clock_timestamp() + interval '1 day')`,
    [businessId, person.id, invitationId],
  );
  const passkeyId = `psk_${requestId}`;
  await sql(
    `INSERT INTO passkeys (id, person_id, credential_id, public_key, sign_count, is_backed_up, name)
     VALUES ($3, $2, convert_to($3::text, 'UTF8'), 'x', 0, false, 'Key of ' || $1::text)`,
    [businessId, teammate.id, passkeyId],
  );
  const [secret] = await sql<{ id: string }>('SELECT id FROM client_secrets WHERE application_id = $1', [
    application.id,
  ]);
  const [grant] = await sql<{ id: string }>('SELECT id FROM grants WHERE business_id = $1');
  const [session] = await sql<{ reference: string }>(
    "SELECT encode(id_hash, 'hex') AS reference FROM sessions WHERE person_id = $1",
    [person.id],
  );
  const { keyString } = await platform.createKey({ businessId });
  const events = await platform.request(0, 'GET', '/v2/events', { key: keyString });
  const [event] = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(events.json()).data;
  const identifiers: Readonly<Record<string, string | undefined>> = {
    apiKeyId: key.id,
    applicationId: application.id,
    clientSecretId: secret?.id,
    // The shared platform has no webhook-service: nothing is found there. tests/system/dashboard-webhooks.test.ts has one.
    deliveryId: 'dlv_00000000000000000000',
    endpointId: 'whe_00000000000000000000',
    eventId: event?.id,
    grantId: grant?.id,
    invitationId,
    passkeyId,
    personId: teammate.id,
    requestId,
    sessionRef: session?.reference,
  };
  return {
    person,
    businessId,
    identifier: (parameter) => {
      const identifier = identifiers[parameter];
      if (identifier === undefined) throw new Error(`The victim has nothing for {${parameter}}.`);
      return identifier;
    },
    state: async () => {
      const rows = await Promise.all(
        Object.entries(tables).map(async ([table, condition]) => [
          table,
          await sql(`SELECT * FROM ${table} WHERE ${condition} ORDER BY 1, 2`),
        ]),
      );
      const [sessions] = await sql('SELECT count(*) FROM sessions WHERE person_id = $1', [person.id]);
      return { ...Object.fromEntries(rows), sessions };
    },
  };
}
