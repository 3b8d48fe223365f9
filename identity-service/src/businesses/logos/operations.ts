import { createHash } from 'node:crypto';
import { AppError, toAppError } from '@platform/service-kit/values/app-error.ts';
import type { BusinessRecord } from '../../clients/business.ts';
import type { Actor } from '../../platform/actor.ts';
import { type ChangeRecordDeps, changeRecord } from '../record.ts';
import { readImage } from './image.ts';
import type { LogoStore } from './store.ts';

export interface SetLogoDeps extends ChangeRecordDeps {
  readonly logos: LogoStore;
  /** Origin of the URLs of logos. */
  readonly publicUrl: string;
}

interface LogoInput {
  /** An owner of the business, or an operator. */
  readonly actor: Actor;
  readonly businessId: number;
}

/**
 * Makes an image the logo of a business and deletes the previous one. The image is stored before its URL is sent to
 * business-service, so that the URL always works.
 * @throws AppError invalid_logo, business_banned, unavailable
 */
export async function setLogo(
  deps: SetLogoDeps,
  { actor, businessId, file }: LogoInput & { readonly file: Buffer },
): Promise<BusinessRecord> {
  const { type, content } = await readImage(file);
  const digest = createHash('sha256').update(content).digest('hex');
  const { storedAt, isNew } = await deps.logos.put({ businessId, digest, type, content });
  const logo = `${deps.publicUrl}/logos/${digest}.${type}`;
  try {
    const { business, previous } = await changeRecord(deps, { actor, businessId, changes: { logo } });
    if (previous.logo !== logo) await removeImage(deps, previous, storedAt);
    return business;
  } catch (error) {
    // Without a response, business-service may have stored the URL, so the image stays.
    if (isNew && toAppError(error).kind !== 'unavailable')
      await deps.logos.remove(businessId, storedAt, digest);
    throw error;
  }
}

/** Removes the logo of a business. @throws AppError business_banned, unavailable */
export async function removeLogo(
  deps: SetLogoDeps,
  { actor, businessId }: LogoInput,
): Promise<BusinessRecord> {
  const storedUntil = await deps.logos.lastStoredAt(businessId);
  const { business } = await changeRecord(deps, { actor, businessId, changes: { logo: '' } });
  // Also removes images of an attempt that was interrupted between the two databases.
  if (storedUntil !== undefined) await deps.logos.remove(businessId, storedUntil);
  return business;
}

/** Dependencies of `takeDownLogo`. */
export type TakeDownLogoDeps = Pick<SetLogoDeps, 'logos' | 'updateRecord' | 'audit'>;

/**
 * Removes the logo of a business, also during a ban. The audit event notifies its owners, who can add another one. Other
 * businesses with the same image keep it. The images are deleted last: as long as one exists, a repetition completes an
 * attempt that was interrupted between the two databases.
 * @throws AppError no_logo, not_found, unavailable
 */
export async function takeDownLogo(
  { logos, updateRecord, audit }: TakeDownLogoDeps,
  { actor, businessId, reason }: LogoInput & { readonly reason: string },
): Promise<void> {
  const storedUntil = await logos.lastStoredAt(businessId);
  const { logo } = (await updateRecord(businessId, { logo: '' }, actor)).previous;
  if (logo === '' && storedUntil === undefined) {
    throw new AppError('failed_precondition', 'no_logo', 'the business has no logo');
  }
  const details = { reason, logo: logo || undefined };
  await audit({ actor, businessId, action: 'business.logo_removed', subjectId: String(businessId), details });
  if (storedUntil !== undefined) await logos.remove(businessId, storedUntil);
}

/** Digest in the URL of an image that is stored here. */
const logoPath = /\/logos\/([0-9a-f]{64})\.\w+$/;

async function removeImage(
  { logos }: Pick<SetLogoDeps, 'logos'>,
  { id, logo }: BusinessRecord,
  storedUntil: number,
): Promise<void> {
  const digest = logoPath.exec(logo)?.[1];
  if (digest !== undefined) await logos.remove(id, storedUntil, digest);
}
