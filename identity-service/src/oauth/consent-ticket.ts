import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import { z } from 'zod';
import { presentationSchema } from './presentation.ts';

const ticketSchema = z.object({
  /** Identifies the page, which can be submitted once. */
  id: z.string(),
  request: z.object({
    applicationId: z.string(),
    redirectUri: z.string(),
    state: z.string(),
    codeChallenge: z.string(),
    scopes: z.array(z.string()),
  }),
  /** The application as the page shows it. */
  presentation: presentationSchema,
  /** Businesses on the page. */
  businessIds: z.array(z.int()),
});

/** The request behind a consent page. Its form carries it encrypted, so that it cannot be changed or forged. */
export type ConsentTicket = z.output<typeof ticketSchema>;

/** Session and person that a page was shown to. */
interface Viewer {
  readonly sessionId: string;
  readonly personId: string;
}

/** Encrypts a ticket as a form field, for this viewer only. */
export function sealTicket(sealer: Sealer, ticket: ConsentTicket, viewer: Viewer): string {
  return sealer.seal(JSON.stringify(ticket), contextOf(viewer)).toString('base64url');
}

/** Decrypts a ticket of this viewer; undefined for anything else. */
export function openTicket(sealer: Sealer, field: string, viewer: Viewer): ConsentTicket | undefined {
  const text = sealer.open(Buffer.from(field, 'base64url'), contextOf(viewer));
  return text === undefined ? undefined : ticketSchema.safeParse(JSON.parse(text)).data;
}

function contextOf({ sessionId, personId }: Viewer): string {
  return JSON.stringify(['consent', sessionId, personId]);
}
