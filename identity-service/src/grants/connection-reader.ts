import type { Scope } from '../authorization/scope.ts';
import type { Page, Position } from '../page.ts';
import type { Grant } from './grant.ts';

/** A Grant as the business sees it that gave it. */
export interface GivenGrant extends Grant {
  readonly applicationDescription: string;
  /** Who approved last; undefined when the person is gone. */
  readonly personName: string | undefined;
  /** Requests in the last 24 hours, whatever their answer. */
  readonly requestsLastDay: number;
}

/** A Grant as the owner of the application sees it, who is to learn no more of the business than that. */
export interface HeldGrant {
  readonly id: string;
  readonly businessId: number;
  /** Approved so far; sorted. */
  readonly scopes: readonly Scope[];
  /** Really used by requests; sorted. */
  readonly scopesUsed: readonly Scope[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

/** Live Grants, newest first and page by page, from both ends. */
export interface ConnectionReader {
  /** Those that a business gave. */
  given(businessId: number, page: Page): Promise<GivenGrant[]>;
  /** Those that an application has. @param businessId owner of the application; nothing for anybody else */
  held(businessId: number, applicationId: string, page: Page): Promise<HeldGrant[]>;
}

/** Where a Grant is in these lists. */
export function positionOf({ createdAt: at, id }: Pick<HeldGrant, 'createdAt' | 'id'>): Position {
  return { at, id };
}
