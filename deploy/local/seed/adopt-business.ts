import type pg from 'pg';

/**
 * Makes a person the owner of a business, unless it is. Needed where the business was there before the person: in the data
 * of earlier versions, or when a sign-up was cut off between the two. No form and no call can do this.
 */
export async function adoptBusiness(
  identityDatabase: pg.Client,
  email: string,
  businessId: number,
): Promise<void> {
  await identityDatabase.query(
    `INSERT INTO memberships (person_id, business_id, role)
       SELECT id, $2, 'owner' FROM people WHERE email = $1 ON CONFLICT DO NOTHING`,
    [email, businessId],
  );
}
