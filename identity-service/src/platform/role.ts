import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';

/** Roles of the people of a business, in ascending order: each has the rights of those before it. */
export const roles = ['viewer', 'developer', 'owner'] as const;

export type Role = (typeof roles)[number];

/** A column of roles. A role that this version does not know fails validation, so that it gives no rights. */
export const roleColumn = z.enum(roles);

export function isRole(candidate: unknown): candidate is Role {
  return roles.some((role) => role === candidate);
}

/** Roles with their articles. */
export const roleWithArticle: Readonly<Record<Role, string>> = {
  viewer: 'a viewer',
  developer: 'a developer',
  owner: 'an owner',
};

/** Whether a role has the rights of another one. */
export function hasRightsOf(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** Roles with more rights than this one. */
export function rolesAbove(role: Role): Role[] {
  return roles.slice(roles.indexOf(role) + 1);
}

/** The refusal to a person whose role in the business is not enough. */
export function roleMissingError(needed: Role): AppError {
  return new AppError(
    'permission_denied',
    `not_${needed}`,
    `this needs the role ${needed}: an owner can change your role under Settings > Business`,
  );
}
