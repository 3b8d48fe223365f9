import { isRole, type Role } from '../../platform/role.ts';
import { withoutLinks } from '../../web/mail-message.ts';
import { type Notice, roleChangeOf } from './notice.ts';
import { by, type Describe, pathIn, reasonOf } from './notice-words.ts';

/** Rights of a role, in half a sentence. */
const meaning: Readonly<Record<Role, string>> = {
  viewer: 'a viewer sees everything except secrets, and can change nothing',
  developer: 'a developer manages API keys, apps and webhooks, and decides nothing about the business itself',
  owner: 'an owner can do everything, and also decides on verification, team, API access and connected apps',
};

const subjectOf = ({ subjectName }: Notice): string => withoutLinks(subjectName ?? 'a person');

const seeTeam = (notice: Notice) => ({ label: 'See the team', path: pathIn(notice, '/settings/business') });

/** Hint for owners after a member left voluntarily: no owner has decided about what the person made. */
const lookThrough =
  ' API keys, client secrets, redirect URIs and addresses of this person keep working, and webhook endpoints send only what developers may receive: look through them.';

function changed(notice: Notice): string {
  const { from, to } = roleChangeOf(notice.details);
  const whose = notice.isAboutReader ? 'Your role' : `The role of ${subjectOf(notice)}`;
  const before = isRole(from) ? ` from ${from}` : '';
  const after = isRole(to) ? ` to ${to}: ${meaning[to]}` : '';
  return `${whose} was changed${by(notice)}${before}${after}.${reasonOf(notice)}`;
}

/** Notices of the people of a business, by action. */
export const teamDescriptions: Readonly<Record<string, Describe>> = {
  'member.role_changed': (notice) => {
    const isOwner = roleChangeOf(notice.details).to === 'owner';
    const ofOther = isOwner ? 'A person became an owner' : 'A person is no longer an owner';
    return {
      title: notice.isAboutReader ? 'Your role was changed' : ofOther,
      text: changed(notice),
      next: seeTeam(notice),
    };
  },
  'member.removed': (notice) => {
    if (notice.isAboutReader) {
      return {
        title: 'You were removed from a business',
        text: `You were removed from a business${by(notice)}: you no longer have access to it, and get no more notices of it.${reasonOf(notice)}`,
        next: { label: 'Open the dashboard', path: '/dashboard' },
      };
    }
    const wasOwner = notice.details.role === 'owner';
    const how = notice.isBySubject ? 'left the team' : `was removed from the team${by(notice)}`;
    const left = wasOwner ? 'An owner left' : 'A person left the team';
    return {
      title: notice.isBySubject ? left : 'An owner was removed',
      text: `${subjectOf(notice)}${wasOwner ? ', until now an owner,' : ''} ${how}, and no longer has access to the business.${reasonOf(notice)}${notice.isBySubject ? lookThrough : ''}`,
      next: seeTeam(notice),
    };
  },
  'person.deleted': (notice) => ({
    title: 'A person deleted their account',
    text: `${withoutLinks(String(notice.details.name ?? 'A person'))} deleted their account, and no longer has access to the business.${lookThrough}`,
    next: seeTeam(notice),
  }),
  'member.joined': (notice) => ({
    title: 'A person became an owner',
    text: `${subjectOf(notice)} accepted an invitation and joined as an owner: ${meaning.owner}.`,
    next: seeTeam(notice),
  }),
};
