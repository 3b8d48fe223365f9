ALTER TABLE "events" VALIDATE CONSTRAINT "events_first_end";
