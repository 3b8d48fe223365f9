ALTER TABLE "usage_counts" VALIDATE CONSTRAINT "usage_counts_first_end";
ALTER TABLE "usage_hours" VALIDATE CONSTRAINT "usage_hours_first_end";
ALTER TABLE "usage_addresses" VALIDATE CONSTRAINT "usage_addresses_first_end";
ALTER TABLE "usage_endpoints" VALIDATE CONSTRAINT "usage_endpoints_first_end";
