-- CreateTable
CREATE TABLE "request_log" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "business_id" BIGINT,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "duration_ms" REAL NOT NULL,
    "upstream_ms" REAL,
    "response_bytes" BIGINT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "refusal" TEXT,
    "error" TEXT,
    "credential_type" TEXT,
    "credential_id" TEXT,
    "limit_id" TEXT,
    "client_ip" TEXT NOT NULL,
    "required_scope" TEXT,
    "invalid_field" TEXT,
    "secret_last_four" TEXT,

    CONSTRAINT "request_log_pkey" PRIMARY KEY ("id", "at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "request_log_minutes" (
    "business_id" BIGINT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "listed" BIGINT NOT NULL,
    "unlisted" BIGINT NOT NULL,

    CONSTRAINT "request_log_minutes_pkey" PRIMARY KEY ("business_id", "minute")
) PARTITION BY RANGE ("minute");

-- CreateIndex
CREATE INDEX "request_log_business_id_at_id_idx" ON "request_log"("business_id", "at" DESC, "id");

-- CreateIndex
CREATE INDEX "request_log_limit_id_at_id_idx" ON "request_log"("limit_id", "at" DESC, "id");

-- Rows from before today; then rows for which there is no other partition.
DO $$
BEGIN
  EXECUTE format('CREATE TABLE "request_log_first" PARTITION OF "request_log" FOR VALUES FROM (MINVALUE) TO (%L)', date_trunc('day', now(), 'UTC'));
END
$$;

CREATE TABLE "request_log_default" PARTITION OF "request_log" DEFAULT;

DO $$
BEGIN
  EXECUTE format('CREATE TABLE "request_log_minutes_first" PARTITION OF "request_log_minutes" FOR VALUES FROM (MINVALUE) TO (%L)', date_trunc('day', now(), 'UTC'));
END
$$;

CREATE TABLE "request_log_minutes_default" PARTITION OF "request_log_minutes" DEFAULT;

-- Makes the next partitions of a table and drops those whose time is over. The role that runs the service owns no table: it calls
-- this, as the owner. It has no choice in it but which table, so every role may call it. Housekeeping does, every minute.
CREATE OR REPLACE FUNCTION "keep_partitions"("parent" TEXT) RETURNS TABLE ("made" INTEGER, "dropped" INTEGER, "waits" BOOLEAN)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
AS $$
DECLARE
  -- Rows that are moved from the default partition at most: it is locked meanwhile. A period with more of them stays there.
  most_moved CONSTANT INTEGER := 10000;
  plan RECORD;
  old NAME;
  starts TIMESTAMPTZ;
  ends TIMESTAMPTZ;
  made_name TEXT;
  stray BIGINT;
BEGIN
  SELECT * INTO plan FROM (VALUES
    ('usage_counts', 'minute', 'week', interval '7 days', interval '8 days', interval '90 days'),
    ('usage_hours', 'hour', 'week', interval '7 days', interval '8 days', interval '91 days'),
    ('usage_addresses', 'hour', 'day', interval '1 day', interval '3 days', interval '30 days'),
    ('usage_endpoints', 'hour', 'day', interval '1 day', interval '3 days', interval '30 days'),
    ('request_log', 'at', 'day', interval '1 day', interval '3 days', interval '30 days'),
    ('request_log_minutes', 'minute', 'day', interval '1 day', interval '3 days', interval '30 days')
  ) AS plans (name, time_column, unit, period, ahead, kept) WHERE name = parent;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'keep_partitions does not know the table %', parent;
  END IF;
  made := 0;
  dropped := 0;
  waits := false;
  -- One replica at a time; the others do nothing.
  IF NOT pg_try_advisory_xact_lock(72707370, format('public.%I', parent)::regclass::oid::integer) THEN
    RETURN NEXT;
    RETURN;
  END IF;
  BEGIN
    -- Before the new ones: this locks the whole table, and nothing else is locked yet.
    FOR old IN
      SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = format('public.%I', parent)::regclass
        AND (regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''([^'']+)''\)'))[1]::timestamptz <= now() - plan.kept
    LOOP
      EXECUTE format('LOCK TABLE ONLY public.%I IN ACCESS EXCLUSIVE MODE', parent);
      EXECUTE format('DROP TABLE public.%I', old);
      dropped := dropped + 1;
    END LOOP;
    SELECT max((regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''([^'']+)''\)'))[1]::timestamptz) INTO starts
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = format('public.%I', parent)::regclass;
    starts := greatest(coalesce(starts, date_trunc(plan.unit, now())), date_trunc(plan.unit, now() - plan.kept));
    WHILE starts < now() + plan.ahead LOOP
      ends := date_trunc(plan.unit, starts) + plan.period;
      EXECUTE format('SELECT count(*) FROM (SELECT FROM public.%I WHERE %I >= %L AND %2$I < %4$L LIMIT %5$s) AS stray',
        parent || '_default', plan.time_column, starts, ends, most_moved + 1) INTO stray;
      IF stray <= most_moved THEN
        made_name := parent || to_char(starts, '"_"YYYYMMDD');
        EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)', made_name, parent);
        EXECUTE format('LOCK TABLE ONLY public.%I IN SHARE UPDATE EXCLUSIVE MODE', parent);
        EXECUTE format('LOCK TABLE public.%I IN ACCESS EXCLUSIVE MODE', parent || '_default');
        EXECUTE format('WITH moved AS (DELETE FROM public.%I WHERE %I >= %L AND %2$I < %4$L RETURNING *) INSERT INTO public.%5$I SELECT * FROM moved',
          parent || '_default', plan.time_column, starts, ends, made_name);
        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', parent, made_name, starts, ends);
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

SELECT "keep_partitions"('request_log');
SELECT "keep_partitions"('request_log_minutes');
