import { z } from 'zod';
import type { Dashboard } from './dashboard.ts';
import { awaitMail, mailsTo } from './people.ts';
import type { Platform } from './platform.ts';

const invited = z.object({ id: z.string() });

/** An invitation as its sender and its addressee know it. */
export interface SentInvitation {
  readonly id: string;
  /** Path and query of the mailed link. */
  readonly link: string;
  readonly token: string;
}

/** Invites an address and waits for the mail. @throws when it is refused */
export async function invite(
  { mailDirectory }: Pick<Platform, 'mailDirectory'>,
  { own }: Pick<Dashboard, 'own'>,
  email: string,
  role: 'owner' | 'member' = 'member',
): Promise<SentInvitation> {
  const before = mailsTo(mailDirectory, email).length;
  const answer = await own('POST', '/team/invitations', { email, role });
  if (answer.status !== 201) throw new Error(`The invitation was refused:\n${answer.text}`);
  const { link } = await awaitMail(mailDirectory, email, before + 1);
  return { ...invited.parse(answer.json()), link, token: link.split('token=')[1] ?? '' };
}
