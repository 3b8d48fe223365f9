-- Every row that this table has or gets until it is a partition: the bound of that partition, so that attaching it reads no row. Weeks
-- ahead, since the release before is refused later rows; past the last row of a gateway whose clock was ahead.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "usage_addresses" ADD CONSTRAINT "usage_addresses_first_end" CHECK ("hour" < %L) NOT VALID',
    (SELECT greatest(date_trunc('week', now(), 'UTC') + interval '28 days', date_trunc('week', max("hour"), 'UTC') + interval '7 days')
     FROM "usage_addresses"));
END
$$;
