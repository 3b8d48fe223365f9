-- AlterTable
ALTER TABLE "events" ADD COLUMN     "credential_id" TEXT;

-- Written by hand. One change of an event is not refused: the erasure of a person from its payload, in a transaction that says so by
-- SET LOCAL platform.erasure = 'on'. Rows are compared by their bytes (*=), since JSON has no equality.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  erased RECORD;
BEGIN
  IF TG_OP = 'UPDATE' AND current_setting('platform.erasure', true) = 'on' THEN
    erased := OLD;
    erased.payload := NEW.payload;
    IF erased *= NEW THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END;
$$;
