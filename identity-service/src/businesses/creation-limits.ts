import { rules, type Throttle, takeBack } from '../platform/throttle.ts';
import { checkAttempts } from '../web/dashboard-api/input.ts';

/** Counts attempts to create a business and, separately, those that succeed. @throws TooManyAttempts */
export async function withinCreationLimits<T>(
  throttle: Throttle,
  personId: string,
  create: () => Promise<T>,
): Promise<T> {
  await checkAttempts(throttle, [
    [rules.creationAttemptPerson, personId],
    [rules.creationPerson, personId],
  ]);
  try {
    return await create();
  } catch (error) {
    // If taking it back fails, the attempt stays counted and the original error is still thrown.
    await takeBack(throttle, [rules.creationPerson, personId]).catch(() => undefined);
    throw error;
  }
}
