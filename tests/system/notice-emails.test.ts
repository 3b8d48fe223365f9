import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type IdentityPlatform, startIdentityPlatform } from '../harness/identity-platform.ts';
import { type MailServer, startMailServer } from '../harness/mail-server.ts';

/** Emails of notices over two identity-services with a mail server, which accepts the first one when it is released. */

interface SentMail {
  /** Id of the notice. */
  readonly id: string;
  readonly sender: string;
}

const sent: SentMail[] = [];
const released = Promise.withResolvers<void>();

let server: MailServer;
let platform: IdentityPlatform;
beforeAll(async () => {
  server = await startMailServer((lines) => {
    const id = /^Message-ID: <(\w+)@/im.exec(lines.join('\n'))?.[1] ?? '';
    const sender = /^MAIL FROM:<(\w+)@/m.exec(lines.join('\n'))?.[1] ?? '';
    return sent.push({ id, sender }) === 1 ? released.promise : undefined;
  });
  platform = await startIdentityPlatform({ replicas: 0, redis: false, env: { SMTP_URL: server.url } });
});
afterAll(async () => {
  released.resolve();
  await platform?.close();
  server?.close();
});

/** Notices of a person who is not there otherwise, due since a while. */
const addNotices = (count: number) =>
  platform.sql(
    `WITH person AS (
       INSERT INTO people (id, email, name, password_hash)
       VALUES ('per_1', 'ada@people.test', 'Ada Lovelace', 'none')
       ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING id)
     INSERT INTO notices (id, person_id, key, topic, action, subject_id, actor_kind, actor_id, details, mail_due_at)
     SELECT 'ntc_' || md5(random()::text), id, md5(random()::text), 'security', 'person.password_changed', id, 'person', id, '{}',
            now() - interval '1 minute'
     FROM person, generate_series(1, $1)`,
    [count],
  );

test('a replica that waits for a slow mail server sends no email that another one has sent meanwhile', async () => {
  const [ada, bob] = await Promise.all(
    ['ada', 'bob'].map((name) => platform.addReplica({ MAIL_FROM: `${name}@platform.test` })),
  );
  await addNotices(20);
  await expectEventually(() => expect(sent).not.toEqual([]), { withinMs: 20_000 });
  const [held] = sent;
  await platform.sql(
    `UPDATE notices SET mail_due_at = now() - interval '1 minute' WHERE mail_due_at > now() AND id <> $1`,
    [held?.id],
  );
  const othersSettle = () =>
    expectEventually(
      async () => {
        const due = 'SELECT id FROM notices WHERE mail_due_at IS NOT NULL AND id <> $1';
        expect(await platform.sql(due, [held?.id])).toEqual([]);
      },
      { withinMs: 20_000 },
    );
  await othersSettle();
  // The last one is then sent by the replica that was held, after all else that it has taken.
  await (held?.sender === 'ada' ? bob : ada)?.kill();
  await addNotices(1);
  released.resolve();
  await othersSettle();
  // On a busy machine the held one may have timed out.
  const others = sent.flatMap(({ id }) => (id === held?.id ? [] : [id]));
  expect([others.length, new Set(others).size]).toEqual([20, 20]);
});
