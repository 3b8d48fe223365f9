import type { Tour } from './tour.ts';
import { tourAccount } from './tour-account.ts';
import { tourApplications } from './tour-applications.ts';
import { tourErrors } from './tour-errors.ts';
import { tourLogin } from './tour-login.ts';
import { tourSignUp } from './tour-sign-up.ts';

/** Signs up and goes through every page, in an order that one person could take. */
export async function takeTour(tour: Tour): Promise<void> {
  await tourSignUp(tour);
  const businessId = await tourAccount(tour);
  await tourApplications(tour, businessId);
  await tourErrors(tour);
  await tourLogin(tour);
}
