-- Every row that this table has or gets until it is a partition: the bound of that partition, so that attaching it reads no row. A week
-- ahead, since the release before is refused later rows; past the last row of a clock that was ahead.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "events" ADD CONSTRAINT "events_first_end" CHECK ("created_at" < %L) NOT VALID',
    (SELECT greatest(date_trunc('day', now(), 'UTC') + interval '7 days', date_trunc('day', max((SELECT "created_at" FROM "events"
       WHERE "business_id" = "businesses"."id" ORDER BY "created_at" DESC LIMIT 1)), 'UTC') + interval '1 day') FROM "businesses"));
END
$$;
