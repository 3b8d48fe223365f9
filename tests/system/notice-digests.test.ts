import { beforeEach, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { noticeMails, noticeTitles, onlyNoticeMail, settledNotices } from '../harness/notices.ts';
import { allMailsTo, joinBusiness, logIn, type TestPerson } from '../harness/people.ts';
import { openClient } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openColleague, openOwner, setRole } from '../harness/team.ts';

/*
 * Promise: notices for which a person has chosen one email a day come in one, once, however many replicas run; a choice counts
 * for what waits, too. Over two identity-services.
 */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
  await choose(ada, { access: 'daily', connections: 'daily', keys: 'daily', limits: 'daily', team: 'daily' });
});

const frozen = 'API access was frozen';
const unfrozen = 'API access works again';

async function choose({ call }: DashboardPerson, emails: Readonly<Record<string, string>>): Promise<void> {
  expect((await call('PATCH', '/notices/topics', { emails })).status).toBe(200);
}

/** Freezes a business and lifts the freeze: two notices of its owners. */
async function freeze({ own }: DashboardPerson): Promise<void> {
  expect((await own('PUT', '/freeze', { reason: '' })).status).toBe(200);
  expect((await own('DELETE', '/freeze')).status).toBe(200);
}

/** Resolves when so many notices of a person wait for their digest, all for the same time: a day after the first of them. */
const waiting = ({ id }: TestPerson, count: number) =>
  expectEventually(
    async () => {
      const text = `SELECT count(*)::int AS count, min(mail_due_at) = max(mail_due_at) AS same,
          min(mail_due_at) = min(created_at) + interval '24 hours' AS after_a_day
        FROM notices WHERE person_id = $1 AND mail_due_at > now() + interval '1 hour'`;
      expect(await platform.sql(text, [id])).toEqual([{ count, same: true, after_a_day: true }]);
    },
    { withinMs: 20_000 },
  );

/** Lets time pass for what waits. */
const passHours = ({ id }: TestPerson, hours: number) =>
  platform.sql(
    `UPDATE notices SET created_at = created_at - make_interval(hours => $2), mail_due_at = mail_due_at - make_interval(hours => $2)
     WHERE person_id = $1 AND mail_due_at IS NOT NULL`,
    [id, hours],
  );

const mailsOf = ({ email }: TestPerson) =>
  allMailsTo(platform.mailDirectory, email).filter(({ subject }) =>
    /API access|notices? of a day/.test(subject),
  );
const mailOf = (person: TestPerson, subject: string) => onlyNoticeMail(platform, person, subject);
const settled = (person: TestPerson) => settledNotices(platform, person);
const messageId = ({ raw }: { readonly raw: string }) => /^Message-ID: (.*)$/m.exec(raw)?.[1];

describe('notices for a digest', () => {
  test('are sent in one email a day after the first, in order, by business, with their links', async () => {
    const eve = await openOwner(platform);
    await joinBusiness(platform, ada, eve.businessId, 'owner');
    await freeze(ada);
    await freeze(eve);
    await waiting(ada, 4);
    expect(mailsOf(ada)).toEqual([]);
    await passHours(ada, 24);
    const { text, html } = await mailOf(ada, '4 notices of a day');
    const titles = [frozen, unfrozen].map((title) => `${title}\n${'-'.repeat(title.length)}\n`);
    const heading = `Analytical Engines\n${'='.repeat(18)}\n`;
    const places: number[] = [];
    for (const part of [heading, ...titles, heading, ...titles]) {
      places.push(text.indexOf(part, (places.at(-1) ?? -1) + 1));
    }
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(text.indexOf(`/dashboard/${ada.businessId}/audit`)).toBeLessThan(places[3] ?? 0);
    expect(text.indexOf(`/dashboard/${eve.businessId}/audit`)).toBeGreaterThan(places[3] ?? 0);
    expect(text).toContain(`API access was frozen by ${ada.name}: every request`);
    expect(text).toContain(`${platform.publicUrl}/dashboard/notices`);
    expect(html).toContain(`>${frozen}</h3>`);
    expect(html).toContain(`href="${platform.publicUrl}/dashboard/${ada.businessId}/audit"`);
    await settled(ada);
    expect(mailsOf(ada)).toHaveLength(1);
    expect(await noticeTitles(ada)).toEqual([unfrozen, frozen, unfrozen, frozen]);
  });

  test('are not sent twice, and a single later notice is sent as an email of its own', async () => {
    await freeze(ada);
    await waiting(ada, 2);
    await passHours(ada, 24);
    await mailOf(ada, '2 notices of a day');
    await settled(ada);
    expect((await ada.own('PUT', '/freeze', { reason: '' })).status).toBe(200);
    await waiting(ada, 1);
    await passHours(ada, 24);
    expect((await mailOf(ada, frozen)).text).toContain('Choose which emails you get');
    await settled(ada);
    expect(mailsOf(ada)).toHaveLength(2);
  });

  test('exclude those about security, which are emailed at once', async () => {
    await freeze(ada);
    await waiting(ada, 2);
    await logIn(platform, ada);
    await mailOf(ada, 'Login from a new browser');
    const bob = await openColleague(platform, ada, 'developer');
    await setRole(ada, bob, 'owner');
    await mailOf(ada, 'A person became an owner');
    await waiting(ada, 2);
    expect(mailsOf(ada)).toEqual([]);
  });

  test('of a business that the person has left are not sent, not even as an empty email', async () => {
    const eve = await openOwner(platform);
    await joinBusiness(platform, ada, eve.businessId, 'owner');
    await freeze(eve);
    await waiting(ada, 2);
    await platform.sql('DELETE FROM memberships WHERE person_id = $1 AND business_id = $2', [
      ada.id,
      eve.businessId,
    ]);
    await passHours(ada, 24);
    await settled(ada);
    expect(mailsOf(ada)).toEqual([]);
  });

  test('are dropped if no mail server has accepted them for another day', async () => {
    await freeze(ada);
    await waiting(ada, 2);
    await passHours(ada, 49);
    await settled(ada);
    expect(mailsOf(ada)).toEqual([]);
  });
});

describe('a digest', () => {
  test('is sent once, even if replicas process notices at the same time', async () => {
    for (let turn = 0; turn < 10; turn++) await freeze(ada);
    await waiting(ada, 20);
    const held = await holdTable(platform.databases.identity, 'people', 'writes');
    try {
      await passHours(ada, 25);
      await expectEventually(
        async () => expect(await held.waiting('%SELECT id FROM people WHERE id IN%NO KEY UPDATE%')).toBe(2),
        { withinMs: 20_000 },
      );
    } finally {
      await held.release();
    }
    await mailOf(ada, '20 notices of a day');
    await settled(ada);
    expect(mailsOf(ada)).toHaveLength(1);
  });

  test('that one replica prepares is skipped by others, which do not delay other people', async () => {
    const bob = await openColleague(platform, ada, 'owner');
    await choose(bob, { access: 'daily' });
    await freeze(ada);
    for (const person of [ada, bob]) await waiting(person, 2);
    const replica = await openClient(platform.databases.identity);
    try {
      await replica.query('BEGIN');
      await replica.query('SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE', [ada.id]);
      for (const person of [ada, bob]) await passHours(person, 24);
      await mailOf(bob, '2 notices of a day');
      const gathered = 'SELECT id FROM notices WHERE person_id = $1 AND digest_id IS NOT NULL';
      expect(await platform.sql(gathered, [ada.id])).toEqual([]);
    } finally {
      await replica.end();
    }
    await mailOf(ada, '2 notices of a day');
  });

  test('that is sent again after a crash has the same notices and the same Message-ID', async () => {
    await freeze(ada);
    await waiting(ada, 2);
    await passHours(ada, 24);
    await mailOf(ada, '2 notices of a day');
    await settled(ada);
    await freeze(ada);
    await waiting(ada, 2);
    // As if it had not been noted that the email was sent.
    await platform.sql('UPDATE notices SET mail_due_at = now() WHERE person_id = $1 AND id = digest_id', [
      ada.id,
    ]);
    const again = await expectEventually(
      () => {
        const mails = noticeMails(platform, ada, '2 notices of a day');
        if (mails.length < 2) throw new Error('not sent again');
        return mails;
      },
      { withinMs: 20_000 },
    );
    expect(again.map(messageId)).toEqual(Array(2).fill(messageId(again[0] ?? { raw: '' })));
    expect(again[1]?.text).toBe(again[0]?.text);
    await passHours(ada, 24);
    await settled(ada);
    expect(new Set(mailsOf(ada).map(messageId)).size).toBe(2);
  });
});

describe('a new choice also applies to notices that are waiting:', () => {
  test('"at once" sends each in its own email', async () => {
    await freeze(ada);
    await waiting(ada, 2);
    await choose(ada, { access: 'at_once' });
    await mailOf(ada, frozen);
    await mailOf(ada, unfrozen);
    await settled(ada);
    expect(mailsOf(ada)).toHaveLength(2);
  });

  test('"off" sends none, even after another choice later', async () => {
    await freeze(ada);
    await waiting(ada, 2);
    await choose(ada, { access: 'off' });
    await settled(ada);
    await choose(ada, { access: 'at_once' });
    await freeze(ada);
    await mailOf(ada, frozen);
    await settled(ada);
    expect(mailsOf(ada)).toHaveLength(2);
  });

  test('a choice for another topic has no effect', async () => {
    const bob = await openColleague(platform, ada, 'owner');
    const cyd = await openColleague(platform, ada, 'developer');
    await choose(cyd, { team: 'daily', access: 'daily' });
    await setRole(bob, cyd, 'viewer');
    await waiting(cyd, 1);
    await choose(cyd, { access: 'off' });
    await waiting(cyd, 1);
    expect(noticeMails(platform, cyd, 'Your role was changed')).toEqual([]);
  });
});
