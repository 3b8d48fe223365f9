import { z } from 'zod';
import { scopes } from '../../authorization/scope.ts';
import type { Sealer } from '../../secrets/sealer.ts';

const ticketSchema = z.object({
  /** Of this one page: it is answered once. */
  id: z.string(),
  request: z.object({
    applicationId: z.string(),
    redirectUri: z.string(),
    state: z.string(),
    codeChallenge: z.string(),
    scopes: z.array(z.enum(scopes)),
  }),
  /** Businesses that were offered. */
  businessIds: z.array(z.int()),
});

/** What a consent page asked, for its form: sealed, so that nothing of it can be changed or made up. */
export type ConsentTicket = z.output<typeof ticketSchema>;

/** Whom a page was shown to. */
export interface Viewer {
  readonly sessionId: string;
  readonly personId: string;
}

/** The ticket as a form field. It opens for the viewer alone. */
export function sealTicket(sealer: Sealer, ticket: ConsentTicket, viewer: Viewer): string {
  return sealer.seal(JSON.stringify(ticket), contextOf(viewer)).toString('base64url');
}

/** The ticket that was sealed for this viewer; undefined for anything else. */
export function openTicket(sealer: Sealer, field: string, viewer: Viewer): ConsentTicket | undefined {
  const text = sealer.open(Buffer.from(field, 'base64url'), contextOf(viewer));
  return text === undefined ? undefined : ticketSchema.parse(JSON.parse(text));
}

function contextOf({ sessionId, personId }: Viewer): string {
  return JSON.stringify(['consent', sessionId, personId]);
}
