import { AppError } from '@platform/service-kit/values/app-error.ts';

/** Sandboxes that one person may have at a time. */
const maxSandboxes = 5;

/** @param present sandboxes that the person has. @throws AppError failed_precondition when one more would be too many */
export function checkRoomForSandbox(present: number): void {
  if (present < maxSandboxes) return;
  const text = `you have ${maxSandboxes} sandboxes already: end one first`;
  throw new AppError('failed_precondition', 'sandbox_limit_reached', text);
}
