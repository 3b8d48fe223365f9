-- The table with its rows becomes the first partition of one of its name. It keeps its own indexes.
ALTER TABLE "events" RENAME TO "events_first";
ALTER INDEX "events_business_id_type_sequence_idx" RENAME TO "events_first_business_id_type_sequence_idx";

-- CreateTable
CREATE TABLE "events" (LIKE "events_first" INCLUDING DEFAULTS) PARTITION BY RANGE ("created_at");

-- A unique index of a partitioned table has to contain the column by which it is partitioned. That a business has each sequence once does
-- not depend on it: a sequence is given out, and its event inserted, under the row lock of its business in business_counters, and the
-- transaction that inserts it advances the counter. The id is random, or was compared with those of its business under that lock. The
-- same row of business_counters refers to the business, so there is no foreign key, which each new partition would lock the businesses for.
-- CreateIndex
CREATE UNIQUE INDEX "events_business_id_sequence_created_at_key" ON "events"("business_id", "sequence", "created_at");

-- CreateIndex
CREATE INDEX "events_business_id_id_idx" ON "events"("business_id", "id");

-- CreateIndex
CREATE INDEX "events_business_id_type_sequence_idx" ON "events"("business_id", "type", "sequence");

-- Written by hand, as "events_first_customer_idx".
CREATE INDEX "events_customer_idx" ON "events"("business_id",
  (coalesce(lower(("payload" #>> '{customer,email}') COLLATE "C"), "payload" ->> 'id')));

-- Of every partition; the first one also has its own, of the same effect.
CREATE TRIGGER "events_change_refused" BEFORE UPDATE OR DELETE ON "events"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- It ends at the bound that was validated; without rows now.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "events" ATTACH PARTITION "events_first" FOR VALUES FROM (MINVALUE) TO (%L)',
    greatest(date_trunc('day', now(), 'UTC')::text, (SELECT substring(pg_get_constraintdef("oid") FROM '''([^'']+)''') FROM "pg_constraint"
      WHERE "conname" = 'events_first_end' AND true = (SELECT true FROM "events_first" LIMIT 1))));
END
$$;

-- Rows for which there is no other: of a clock that is ahead, or while no partitions are made, as by the release before.
CREATE TABLE "events_default" PARTITION OF "events" DEFAULT;
CREATE INDEX "events_default_created_at_idx" ON "events_default"("created_at");

-- Makes the next partitions of a table and drops those whose days are over, like its namesake in identity-service. The role that runs the
-- service owns no table: it calls this, as the owner. Retention does, every minute.
CREATE FUNCTION "keep_partitions"("parent" TEXT, "kept_days" INTEGER) RETURNS TABLE ("made" INTEGER, "dropped" INTEGER, "waits" BOOLEAN)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
AS $$
DECLARE
  ahead CONSTANT INTERVAL := '3 days';
  -- Rows of the default partition that are moved or deleted at most: it is locked meanwhile. A day with more of them stays there.
  most_moved CONSTANT INTEGER := 10000;
  oldest CONSTANT TIMESTAMPTZ := date_trunc('day', now()) - make_interval(days => kept_days);
  old NAME;
  starts TIMESTAMPTZ;
  ends TIMESTAMPTZ;
  made_name TEXT;
  stray BIGINT;
BEGIN
  IF parent <> 'events' OR kept_days < 1 THEN
    RAISE EXCEPTION 'keep_partitions does not know the table %, or the days', parent;
  END IF;
  made := 0;
  dropped := 0;
  waits := false;
  -- One replica at a time; the others do nothing.
  IF NOT pg_try_advisory_xact_lock(72707370, 'public.events'::regclass::oid::integer) THEN
    RETURN NEXT;
    RETURN;
  END IF;
  BEGIN
    -- Before the new ones: this locks the whole table, and nothing else is locked yet.
    FOR old IN
      SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'public.events'::regclass
        AND (regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''([^'']+)''\)'))[1]::timestamptz <= oldest
    LOOP
      LOCK TABLE ONLY public.events IN ACCESS EXCLUSIVE MODE;
      EXECUTE format('DROP TABLE public.%I', old);
      dropped := dropped + 1;
    END LOOP;
    -- What stayed in the default partition ends there.
    IF EXISTS (SELECT FROM public.events_default WHERE created_at < oldest) THEN
      ALTER TABLE public.events_default DISABLE TRIGGER USER;
      DELETE FROM public.events_default WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM public.events_default WHERE created_at < oldest ORDER BY created_at LIMIT most_moved));
      ALTER TABLE public.events_default ENABLE TRIGGER USER;
    END IF;
    SELECT max((regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''([^'']+)''\)'))[1]::timestamptz) INTO starts
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'public.events'::regclass;
    starts := greatest(coalesce(starts, date_trunc('day', now())), oldest);
    WHILE starts < now() + ahead LOOP
      ends := date_trunc('day', starts) + interval '1 day';
      SELECT count(*) INTO stray FROM (
        SELECT FROM public.events_default WHERE created_at >= starts AND created_at < ends LIMIT most_moved + 1) AS found;
      IF stray <= most_moved THEN
        made_name := to_char(starts, '"events_"YYYYMMDD');
        EXECUTE format('CREATE TABLE public.%I (LIKE public.events INCLUDING ALL)', made_name);
        LOCK TABLE ONLY public.events IN SHARE UPDATE EXCLUSIVE MODE;
        LOCK TABLE public.events_default IN ACCESS EXCLUSIVE MODE;
        -- The trigger would refuse to move them.
        ALTER TABLE public.events_default DISABLE TRIGGER USER;
        EXECUTE format('WITH moved AS (DELETE FROM public.events_default WHERE created_at >= $1 AND created_at < $2 RETURNING *)
          INSERT INTO public.%I SELECT * FROM moved', made_name) USING starts, ends;
        ALTER TABLE public.events_default ENABLE TRIGGER USER;
        EXECUTE format('ALTER TABLE public.events ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', made_name, starts, ends);
        made := made + 1;
      END IF;
      starts := ends;
    END LOOP;
  EXCEPTION WHEN lock_not_available THEN
    made := 0;
    dropped := 0;
    waits := true;
  END;
  RETURN NEXT;
END
$$;

SELECT "keep_partitions"('events', 30);
