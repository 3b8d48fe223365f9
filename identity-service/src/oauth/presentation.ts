import { z } from 'zod';
import type { BusinessRecord } from '../clients/business.ts';
import { isLoopbackHttp } from '../credentials/applications/redirect-uri.ts';
import type { ReadApplication } from '../credentials/applications/store.ts';

/** The application as shown on the consent page, apart from its scopes and redirect URI. */
export const presentationSchema = z.object({
  name: z.string(),
  /** In the words of the application. */
  description: z.string(),
  /** Company behind the application as an operator has checked it, beside names that its owner chose. */
  company: z.string(),
  /** Names of the publisher. */
  publisher: z.string(),
});

export type Presentation = z.output<typeof presentationSchema>;

/** Basis of an approval, as a Grant keeps it. */
export const approvedAsSchema = presentationSchema.omit({ description: true }).extend({
  /** Hosts of the approved redirect URIs. */
  hosts: z.array(z.string()),
});

export type ApprovedAs = z.output<typeof approvedAsSchema>;

/** An application as it presents itself now. @param owner undefined when business-service does not know it */
export function presentationOf(
  { name, description, sandboxOf }: Pick<ReadApplication, 'name' | 'description' | 'sandboxOf'>,
  owner: BusinessRecord | undefined,
): Presentation {
  const facts = owner?.verification === 'verified' ? owner.facts : undefined;
  return {
    name,
    description,
    company: sandboxOf === undefined ? companyOf(facts) : 'none: this is an app of a sandbox, for tests',
    publisher: owner === undefined ? 'unknown' : `${owner.accountHolder} (@${owner.username})`,
  };
}

function companyOf(facts: BusinessRecord['facts']): string {
  return facts === undefined ? 'not verified' : `${facts.legalName}, ${facts.country}`;
}

/** Host that a redirect URI leads to. On loopback any port will do, so the port is left out. */
export function returnHost(redirectUri: string): string {
  const url = new URL(redirectUri);
  return isLoopbackHttp(url) ? 'this computer' : url.host;
}

/** Basis of an approval to return to `redirectUri`. @param before hosts that were approved earlier */
export function approvedAsOf(
  { name, company, publisher }: Presentation,
  redirectUri: string,
  { registered, before }: { readonly registered: readonly string[]; readonly before: readonly string[] },
): ApprovedAs {
  const still = new Set(registered.map(returnHost));
  const kept = before.filter((host) => still.has(host));
  return { name, company, publisher, hosts: [...new Set([...kept, returnHost(redirectUri)])] };
}

/** Sentences about what is new since an approval; empty when it still stands for this request. */
export function changesSinceApproval(
  approved: ApprovedAs,
  now: Presentation,
  redirectUri: string,
): readonly string[] {
  const host = returnHost(redirectUri);
  const before = approved.hosts.join(', ');
  return [
    ...namesChanged(approved, now, 'when you approved it'),
    ...(approved.hosts.includes(host) ? [] : [`It now returns you to ${host}; you approved ${before}.`]),
  ];
}

/** Sentences about what is new since the page was shown. */
export function changesSincePage(read: Presentation, now: Presentation): readonly string[] {
  return [
    ...namesChanged(read, now, 'a moment ago'),
    ...(read.description === now.description ? [] : ['Its description has changed.']),
  ];
}

type Names = Omit<Presentation, 'description'>;

const sentences: readonly (readonly [keyof Names, (before: string) => string])[] = [
  ['name', (before) => `Its name was “${before}”`],
  ['company', (before) => `Its verified company was “${before}”`],
  ['publisher', (before) => `It was offered by “${before}”`],
];

function namesChanged(before: Names, now: Names, when: string): string[] {
  return sentences.flatMap(([field, sentence]) =>
    before[field] === now[field] ? [] : [`${sentence(before[field])} ${when}.`],
  );
}
