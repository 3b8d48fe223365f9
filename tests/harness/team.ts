import { z } from 'zod';
import { type Dashboard, openDashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import type { HttpResponse } from './http-request.ts';
import { joinBusiness, mailsTo, type Role, signUp, type TestPerson } from './people.ts';
import type { Platform } from './platform.ts';

/** DashboardPerson with a dashboard; `own` is about the business that was named when it was opened. */
export interface DashboardPerson extends TestPerson, Dashboard {}

/** An owner of a new business. */
export async function openOwner(platform: Platform): Promise<DashboardPerson> {
  const person = await signUp(platform);
  return { ...person, ...(await openDashboard(person, person.browser)) };
}

/** DashboardPerson with a business of their own who belongs to this one, too; `own` is about this one. */
export async function openColleague(
  platform: Platform,
  { businessId }: Pick<TestPerson, 'businessId'>,
  role: Role,
  gateway = 1,
): Promise<DashboardPerson> {
  const person = await signUp(platform, { gateway });
  await joinBusiness(platform, person, businessId, role);
  return { ...person, ...(await openDashboard({ ...person, businessId }, person.browser)) };
}

/** Changes the role of a member. */
export const setRole = (by: Dashboard, { id }: Pick<TestPerson, 'id'>, role: Role): Promise<HttpResponse> =>
  by.own('PATCH', `/team/members/${id}`, { role });

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
  role: Role = 'developer',
): Promise<SentInvitation> {
  // Notices come to the same address at times of their own.
  const isInvitation = ({ link }: { readonly link: string }) => link.includes('/dashboard/join?token=');
  const links = () => mailsTo(mailDirectory, email).filter(isInvitation);
  const before = links().length;
  const response = await own('POST', '/team/invitations', { email, role });
  if (response.status !== 201) throw new Error(`The invitation was refused:\n${response.text}`);
  const { link } = await expectEventually(
    () => {
      const mail = links()[before];
      if (mail === undefined) throw new Error(`No invitation to ${email} yet.`);
      return mail;
    },
    { withinMs: 5_000 },
  );
  return { ...invited.parse(response.json()), link, token: link.split('token=')[1] ?? '' };
}

/** Uses the token of a mailed link. */
export const acceptInvitation = ({ call }: Dashboard, token: string): Promise<HttpResponse> =>
  call('POST', '/invitations/accept', { token });

const teamResponse = z.object({
  members: z.array(
    z.object({ personId: z.string(), email: z.string(), role: z.string(), isYou: z.boolean() }),
  ),
  invitations: z.array(z.object({ id: z.string(), email: z.string(), role: z.string() })),
});

export async function teamOf({ own }: Dashboard): Promise<z.output<typeof teamResponse>> {
  return teamResponse.parse((await own('GET', '/team')).json());
}

/** Roles of all members of the team, by person. */
export async function rolesOf(dashboard: Dashboard): Promise<Record<string, string>> {
  const { members } = await teamOf(dashboard);
  return Object.fromEntries(members.map(({ personId, role }) => [personId, role]));
}

/** Audit events about the team of a business, oldest first. */
export function memberEvents(platform: Platform, { businessId }: Pick<TestPerson, 'businessId'>) {
  const text = `SELECT action, actor_id, subject_id, details FROM audit_events
    WHERE business_id = $1 AND action LIKE 'member.%' ORDER BY id`;
  return platform.sql(text, [businessId]);
}

/** Status and reason of a refusal. */
export function reasonOf(response: HttpResponse): [status: number, reason: string | undefined] {
  return [response.status, z.object({ reason: z.string().optional() }).parse(response.json()).reason];
}
